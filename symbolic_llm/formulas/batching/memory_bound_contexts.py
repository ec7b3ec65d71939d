"""Beyond the critical context every batch is memory-bound

"Large batches are compute-bound" is true of short contexts only.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.critical_context import FORMULA as critical_context
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import ALL_KEPT, cache_outruns_attention, multiply_add, one_token
from symbolic_llm.notation import B, D_weights, F, N, P, W, a, m_token
from symbolic_llm.steps import CLAIM, add, add_to_larger, multiply, premise
from symbolic_llm.unevaluated import Ge, Lt

LONG = Ge(N, critical_context.rhs)
GROWTH = F * m_token - a * W * one_token
ARITHMETIC = (multiply_add * P + a * N) * W * one_token

FORMULA = Formula(
    __name__,
    claim=Implication(LONG, Lt(compute_time_with_attention.rhs, memory_time_with_cache.rhs).xreplace(ALL_KEPT)),
    kind=Kind.THEOREM,
    where=(cache_outruns_attention,),
    uses=(critical_context, compute_time_with_attention, memory_time_with_cache, context_bytes_read),
    steps=(
        premise(LONG, "a context of at least the critical length"),
        multiply(
            GROWTH,
            Ge(GROWTH * N, multiply_add * P * W * one_token),
            "by what a token of context adds, which is positive",
        ),
        add(a * one_token * N * W, Ge(F * m_token * N, ARITHMETIC), "attention on either side"),
        multiply(
            B / (F * W),
            Ge(B * N * m_token / W, ARITHMETIC * B / (F * W)),
            "for the whole batch, as times: reading the cache alone takes as long as all arithmetic",
        ),
        add_to_larger(D_weights / W, CLAIM, "and the weights have to be read too"),
    ),
    measured_by="clock.memory_bound_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 1000},
)
