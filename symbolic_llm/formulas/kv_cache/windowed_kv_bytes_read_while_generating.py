"""Cache bytes read while generating, where some blocks have a window

Blocks with a window read no more than that, so once it is full each new token costs as much as the one before. What
such a block forgets grows by one token with each step from there on: the sum of 1, 2, … up to what it has forgotten in
the end, without what it had forgotten of the prompt.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.kv_cache.windowed_context_bytes import FORMULA as windowed_context_bytes
from symbolic_llm.formulas.shared import half, one_token, windows_are_in_blocks
from symbolic_llm.notation import B, D_generation, N, i_token, m_local, m_token, n_new, n_window
from symbolic_llm.steps import premise, sum_over
from symbolic_llm.written import Eq, Max

BEFORE, AFTER = (Max(length, n_window) - n_window for length in (N, N + n_new))
FORGOTTEN = (AFTER * (AFTER + one_token) - BEFORE * (BEFORE + one_token)) / half
ALL = B * m_token * n_new * (N + (n_new + one_token) / half) / one_token
FEWER = B * m_local * FORGOTTEN / one_token

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_generation, ALL - FEWER),
    where=(windows_are_in_blocks,),
    models=(Trait.GROUPED, Trait.MIXED, Trait.WINDOWED),
    uses=(kv_bytes_per_token, windowed_context_bytes),
    steps=(
        premise(
            B * windowed_context_bytes.rhs.xreplace({N: N + i_token}),
            "for the i-th new token the cache holds what blocks keep of N + i tokens, and is read whole",
        ),
        sum_over(
            i_token,
            n_new,
            ALL - FEWER,
            "over all new tokens: without windows as if every step had a context of middle length",
        ),
    ),
    measured_by="cache.bytes_read_while_generating",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "cache": "fp16", "N": 4000, "n_new": 500, "B": 1},
)
