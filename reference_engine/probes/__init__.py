"""Named questions to the engine

A question says what is run and what of the ledger is meant; it has no place for a number or a formula, so an answer
can only be what was counted. It is put to subjects: decoders of several kinds, one head of attention, an op, a block.
"""

from importlib import import_module
from pkgutil import iter_modules

from .counts import Parts, Ratio
from .registry import QUESTIONS, Probe, Question, patterns_of, probes, with_patterns
from .subjects import SUBJECTS

for _module in iter_modules(__path__):  # each enters its questions
    import_module(f"{__name__}.{_module.name}")

__all__ = [
    "QUESTIONS",
    "SUBJECTS",
    "Parts",
    "Probe",
    "Question",
    "Ratio",
    "patterns_of",
    "probes",
    "with_patterns",
]
