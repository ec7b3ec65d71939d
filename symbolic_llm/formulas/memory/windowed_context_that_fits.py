"""Longest context that fits, where some blocks have a window

Once the windows are full, a longer context is kept by the other blocks alone.
"""

from sympy import Eq, Max, floor

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, N_fit, m_token, n_global, n_local, n_window
from symbolic_llm.steps import add, cite, divide, larger_of, multiply, round_down, subtract

TOKENS = memory_left.rhs / (B * m_token)
FARTHER = TOKENS + n_local * (TOKENS - n_window) / n_global

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_fit, one_token * floor(Max(TOKENS, FARTHER) / one_token)),
    models=(Trait.MIXED,),
    uses=(memory_left, kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(B * m_token, TOKENS, "tokens for each sequence, if every block keeps them all"),
        subtract(n_window, TOKENS - n_window, "of which so many lie beyond the window"),
        multiply(
            n_local / n_global,
            n_local * (TOKENS - n_window) / n_global,
            "room left to the blocks without one",
        ),
        add(TOKENS, FARTHER, "which reach so much farther"),
        larger_of(TOKENS, Max(TOKENS, FARTHER), "while windows fill, every block keeps the whole context"),
        round_down(one_token, one_token * floor(Max(TOKENS, FARTHER) / one_token), "only whole tokens count"),
    ),
    measured_by="memory.context_that_fits",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "hardware": "a10", "dtype": "fp16", "B": 64},
)
