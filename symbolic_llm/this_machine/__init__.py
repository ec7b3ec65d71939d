"""Bandwidth and arithmetic of this computer, and the engine's times on it beside the forecasts of the catalogue

A computer is asked through `Computer`, which has a clock of its own: tests put a simulated one in its place, whose
figures are known.
"""
