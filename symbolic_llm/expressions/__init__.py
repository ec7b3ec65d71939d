"""Expressions: exact evaluation, the algebra that decides, and how they print"""
