"""Named questions to the engine

A question says what is run and what of the ledger is meant; it has no place for a number or a formula, so an answer
can only be what was counted. It is put to subjects: decoders of several kinds, one head of attention, an op, a block.
"""

from . import (
    changes,
    chunks,
    clocks,
    compressing,
    dealing,
    devices,
    heads,
    loads,
    money,
    parts,
    passes,
    picking,
    placing,
    pools,
    serving,
    sharing,
    speculating,
    states,
    storage,
    twofold,
)
from .counts import Parts, Ratio
from .registry import QUESTIONS, Probe, Question, patterns_of, probes, with_patterns
from .subjects import SUBJECTS

__all__ = [
    "QUESTIONS",
    "SUBJECTS",
    "Parts",
    "Probe",
    "Question",
    "Ratio",
    "changes",
    "chunks",
    "clocks",
    "compressing",
    "dealing",
    "devices",
    "heads",
    "loads",
    "money",
    "parts",
    "passes",
    "patterns_of",
    "picking",
    "placing",
    "pools",
    "probes",
    "serving",
    "sharing",
    "speculating",
    "states",
    "storage",
    "twofold",
    "with_patterns",
]
