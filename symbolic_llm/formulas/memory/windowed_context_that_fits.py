"""Longest context that fits, where some blocks have a window

Once the windows are full, a longer context is kept by the other blocks alone.
"""

from sympy import floor

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.kv_cache.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import one_token, some_blocks_keep_all
from symbolic_llm.notation import B, N_fit, m_local, m_token, n_window
from symbolic_llm.steps import cite, divide, larger_of, round_down
from symbolic_llm.written import Eq, Max

TOKENS = memory_left.rhs / (B * m_token)
FARTHER = TOKENS + m_local * (TOKENS - n_window) / (m_token - m_local)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_fit, one_token * floor(Max(TOKENS, FARTHER) / one_token)),
    where=(some_blocks_keep_all,),
    models=(Trait.GROUPED, Trait.UNEQUAL, Trait.MIXED, Trait.TWOFOLD),
    uses=(memory_left, kv_bytes_per_token, local_kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(
            B * m_token,
            TOKENS,
            "tokens for each sequence, while windows fill and every block keeps them all",
            measured_by="cache.bytes(context=1)",
        ),
        larger_of(
            FARTHER,
            Max(TOKENS, FARTHER),
            "what lies beyond the window leaves its room to the blocks without one, which reach so much farther",
        ),
        round_down(one_token, one_token * floor(Max(TOKENS, FARTHER) / one_token), "only whole tokens count"),
    ),
    measured_by="memory.context_that_fits",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "hardware": "a10", "dtype": "fp16", "B": 64},
)
