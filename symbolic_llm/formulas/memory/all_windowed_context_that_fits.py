"""Longest context that fits, where every block has a window

As without windows while they fill. If the caches of full windows fit, so does any context.
"""

from sympy import floor

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import full_windows_do_not_fit, one_token
from symbolic_llm.notation import B, N_fit, m_token
from symbolic_llm.steps import cite, divide, round_down
from symbolic_llm.written import Eq

TOKENS = memory_left.rhs / (B * m_token)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_fit, one_token * floor(TOKENS / one_token)),
    where=(full_windows_do_not_fit,),
    models=(Trait.WINDOWED,),
    uses=(memory_left, kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(
            B * m_token,
            TOKENS,
            "a token of context takes its bytes once for each sequence",
            measured_by="cache.bytes(context=1)",
        ),
        round_down(one_token, one_token * floor(TOKENS / one_token), "only whole tokens count"),
    ),
    measured_by="memory.context_that_fits",
    sources=("jiang-2023",),
    example={"model": "mistral-7b-v0.1", "hardware": "a10", "dtype": "fp16", "B": 64},
)
