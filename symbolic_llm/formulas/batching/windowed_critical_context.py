"""Critical context with windows

Blocks with a window stop reading more once it is full, so a batch can stay compute-bound for longer contexts: only the
other blocks' caches go on growing.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.counts import cache_outruns_head, multiply_add, one_token, score_and_sum, windows_are_full
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.windowed_decode_product_flops import ATTENTION
from symbolic_llm.formulas.compute.windowed_decode_product_flops import FORMULA as windowed_decode_product_flops
from symbolic_llm.formulas.kv_cache.windowed_kv_bytes import FORMULA as windowed_kv_bytes
from symbolic_llm.formulas.kv_cache.windowed_kv_bytes import KEPT
from symbolic_llm.notation import F, N, N_critical, P, W, d_head, m_layer, n_global, n_heads, n_local, n_window
from symbolic_llm.steps import premise, solve_for

READS = F * m_layer - score_and_sum * n_heads * d_head * W * one_token
CRITICAL = (multiply_add * P * W * one_token / READS - n_local * n_window) / n_global

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, CRITICAL),
    kind=Kind.LAW,
    where=(cache_outruns_head, windows_are_full),
    uses=(windowed_decode_product_flops, windowed_kv_bytes),
    steps=(
        premise(
            Eq(
                W * one_token * (multiply_add * P + ATTENTION.xreplace({N: N_critical})),
                F * m_layer * KEPT.xreplace({N: N_critical}),
            ),
            "one more sequence adds as much arithmetic time as reading time",
        ),
        solve_for(N_critical, Eq(N_critical, CRITICAL), "for the context"),
    ),
    measured_by="clock.windowed_critical_context",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
