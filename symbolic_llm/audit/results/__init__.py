"""Results of benchmarks, held against the bounds of the catalogue

A benchmark's file has measured figures: tokens a second, milliseconds for a token. Each is the time of some work, and
what that work has to read and to compute takes a time by the formulas. A figure that leaves less is impossible, and the
term that does not fit says why.
"""

from .audited import PROGRAMS, Audited, audit_results, audit_run, read_results
from .figure import Figure, Given, Run
from .outcome import Outcome, Reached, Term

__all__ = [
    "PROGRAMS",
    "Audited",
    "Figure",
    "Given",
    "Outcome",
    "Reached",
    "Run",
    "Term",
    "audit_results",
    "audit_run",
    "read_results",
]
