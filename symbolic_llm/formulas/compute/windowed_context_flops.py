"""Attention operations of a new token, where some blocks have a window

In a block with a window it meets no more tokens than that. Where heads are of two kinds, what the windows save of the
operations is another share than what they save of the cache.
"""

from symbolic_llm.architecture import WITH_WINDOWS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.compute.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.shared import BEYOND_WINDOW, windows_do_their_part
from symbolic_llm.notation import C_seq, N, a, a_local
from symbolic_llm.steps import premise, subtract
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_seq, a * N - a_local * BEYOND_WINDOW),
    where=(windows_do_their_part,),
    models=(Trait.GROUPED, Trait.UNEQUAL, *WITH_WINDOWS),
    uses=(attention_flops_per_context_token, local_attention_flops),
    steps=(
        premise(
            a * N,
            "while windows fill, it meets every token in every block",
            measured_by="decode.flops_of_a_sequence(window=1000)",
        ),
        subtract(
            a_local * BEYOND_WINDOW,
            a * N - a_local * BEYOND_WINDOW,
            "in the blocks with a window it meets nothing beyond that",
        ),
    ),
    measured_by="decode.flops_of_a_sequence",
    sources=("gemma-2024", "transformers-gemma4"),
    example={"model": "gemma-2-27b", "N": 8192},
)
