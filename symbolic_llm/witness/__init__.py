"""Formulas beside the engine, which is their witness: nothing else in this package meets it"""
