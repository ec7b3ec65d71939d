"""Whole sequences that fit beside the weights

The largest batch a server can hold, each sequence as long as the context. A fraction of a sequence is none.
"""

from sympy import floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kept_context import FORMULA as kept_context
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B_fit, N_kept, m_token
from symbolic_llm.steps import cite, divide, round_down
from symbolic_llm.written import Eq

SEQUENCE_BYTES = N_kept * m_token
LEFT = memory_left.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_fit, each_sequence * floor(LEFT / (SEQUENCE_BYTES * each_sequence))),
    uses=(memory_left, kv_bytes_per_token, kept_context),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(
            SEQUENCE_BYTES,
            LEFT / SEQUENCE_BYTES,
            "each sequence takes what its blocks keep of it",
            measured_by="cache.bytes(batch=1)",
        ),
        round_down(
            each_sequence,
            each_sequence * floor(LEFT / (SEQUENCE_BYTES * each_sequence)),
            "only whole sequences count",
        ),
    ),
    measured_by="memory.sequences_that_fit",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
