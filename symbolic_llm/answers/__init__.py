"""Answers: from what a user gives to solutions, explanations and compiled functions"""
