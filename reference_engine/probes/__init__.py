"""Named questions to the engine

A probe builds what it asks about, runs it, and reads the answer off the ledger. It takes shapes and figures by
keyword and answers with a whole number, a `Ratio` of two, or True/False. Nothing here is a formula: where a probe
divides, it divides two counts or a count by a figure of the machine.
"""

from . import clock, crossovers, decoders, experts, heads, latent, memory, passes, storage, windows
from .registry import PROBES, Answer, Parts, Probe, Ratio

__all__ = [
    "PROBES",
    "Answer",
    "Parts",
    "Probe",
    "Ratio",
    "clock",
    "crossovers",
    "decoders",
    "experts",
    "heads",
    "latent",
    "memory",
    "passes",
    "storage",
    "windows",
]
