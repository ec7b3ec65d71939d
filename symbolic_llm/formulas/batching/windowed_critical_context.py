"""Critical context with windows

Blocks with a window stop reading more once it is full, so a batch can stay compute-bound for longer contexts: only the
other blocks' caches go on growing. Before the windows are full all blocks count, after that the others; the later
one of the two contexts is the critical one.
"""

from sympy import Eq, Max

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token_and_layer import FORMULA as kv_bytes_per_token_and_layer
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import cache_outruns_head, multiply_add, one_token, score_and_sum
from symbolic_llm.notation import F, N_critical, P, W, d_head, m_layer, n_global, n_heads, n_local, n_window
from symbolic_llm.steps import divide, larger_of, premise

OUTRUN = F * m_layer - score_and_sum * n_heads * d_head * W * one_token
KEPT = multiply_add * P * W * one_token / OUTRUN
FILLING = KEPT / (n_global + n_local)
FULL = (KEPT - n_local * n_window) / n_global

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, Max(FILLING, FULL)),
    kind=Kind.LAW,
    where=(cache_outruns_head,),
    uses=(kv_bytes_per_token_and_layer, total_parameters),
    steps=(
        premise(multiply_add * P * W * one_token, "what one more sequence adds in arithmetic, but for attention"),
        divide(
            OUTRUN, KEPT, "each token that a block keeps adds so much more reading than arithmetic: all blocks together"
        ),
        divide(n_global + n_local, FILLING, "while windows fill, every block keeps the whole context"),
        larger_of(FULL, Max(FILLING, FULL), "once they are full, those with a window keep only that"),
    ),
    measured_by="clock.windowed_critical_context",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
