"""Named questions to the engine

A question says what is run and what of the ledger is meant; it has no place for a number or a formula, so an answer
can only be what was counted. It is put to subjects: decoders of several kinds, one head of attention, an op, a block.
"""

from . import (
    compressed_attention,
    cost,
    data_parallel_attention,
    device_memory,
    disaggregation,
    expert_load,
    global_and_local_heads,
    heads,
    memory_questions,
    mixed_steps,
    offloading,
    parts,
    passes,
    recurrent_states,
    serving,
    sharing,
    sparse_attention,
    speculative_decoding,
    step_times,
    tensor_parallel,
    what_if,
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
    "compressed_attention",
    "cost",
    "data_parallel_attention",
    "device_memory",
    "disaggregation",
    "expert_load",
    "global_and_local_heads",
    "heads",
    "memory_questions",
    "mixed_steps",
    "offloading",
    "parts",
    "passes",
    "patterns_of",
    "probes",
    "recurrent_states",
    "serving",
    "sharing",
    "sparse_attention",
    "speculative_decoding",
    "step_times",
    "tensor_parallel",
    "what_if",
    "with_patterns",
]
