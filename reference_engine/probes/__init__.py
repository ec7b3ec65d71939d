"""Named questions to the engine

A question says what is run and what of the ledger is meant; it has no place for a number or a formula, so an answer
can only be what was counted. It is put to subjects: decoders of several kinds, one head of attention, an op, a block.
"""

from ..modules import import_all
from .registry import QUESTIONS, Probe, Question, patterns_of, probes, with_patterns
from .subjects import SUBJECTS

import_all(__name__, __path__)  # each enters its questions

__all__ = [
    "QUESTIONS",
    "SUBJECTS",
    "Probe",
    "Question",
    "patterns_of",
    "probes",
    "with_patterns",
]
