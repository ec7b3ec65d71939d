"""Whole sequences that fit beside the weights

The largest batch a server can hold, each sequence as long as the context. A fraction of a sequence is none.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B_fit, M_seq
from symbolic_llm.steps import CLAIM, cite, divide, round_down
from symbolic_llm.unevaluated import Eq

LEFT = memory_left.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(B_fit, each_sequence * floor(LEFT / (M_seq * each_sequence))),
    uses=(memory_left, context_bytes),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(
            M_seq,
            LEFT / M_seq,
            "each sequence takes what is kept of it",
            measured_by="cache.bytes_of_a_sequence",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="memory.sequences_that_fit",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
