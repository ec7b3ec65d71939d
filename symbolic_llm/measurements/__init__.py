"""Measurements of real machines, and the formulas' predictions beside them

A set is a header in TOML, which says what was measured, by whom, under which licence and what was left out by which
rule, and a table of columns beside it. Nothing in a set is a prediction: these are computed from the catalogue's
formulas and the datasheets of the presets whenever they are asked for.
"""

from .measured_set import MeasuredSet, measured_set, names
from .rows import Rows

__all__ = ["MeasuredSet", "Rows", "measured_set", "names"]
