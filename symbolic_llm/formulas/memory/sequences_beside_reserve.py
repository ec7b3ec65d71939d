"""Whole sequences that fit beside a reserve

As sequences_that_fit, where a server keeps some bytes free, and every sequence has activations beside its cache. Many
servers state the reserve as a share of the memory; a tenth of 80 GB is 8 GB.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import each_sequence, one_token, weights_fit_beside_reserve
from symbolic_llm.notation import B_fit, M_reserve, M_seq, m_act
from symbolic_llm.steps import CLAIM, cite, divide, round_down, subtract
from symbolic_llm.unevaluated import Eq

LEFT = memory_left.rhs - M_reserve
SEQUENCE_BYTES = M_seq + one_token * m_act

FORMULA = Formula(
    __name__,
    claim=Eq(B_fit, each_sequence * floor(LEFT / (SEQUENCE_BYTES * each_sequence))),
    where=(weights_fit_beside_reserve,),
    uses=(memory_left, context_bytes),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        subtract(
            M_reserve, LEFT, "without what stays free", measured_by="memory.held_beside_a_reserve[reserve](batch=1)"
        ),
        divide(
            SEQUENCE_BYTES,
            LEFT / SEQUENCE_BYTES,
            "each sequence takes its caches and states, and the activations of a token",
            measured_by="memory.held_beside_a_reserve[cache.*, activations](batch=1)",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="memory.sequences_beside_a_reserve",
    example={
        "model": "llama-3-8b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "M_reserve": "8 GB",
        "m_act": "1 MB",
    },
)
