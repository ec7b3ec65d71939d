"""Prefill time with attention

As prefill_time, with all matrix products of the pass, attention's too, and with the cache among what is read: every key
and value that the pass has made is read once, also those that a window forgets before its end.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.notation import B, C_prefill, F, N, P_prompt, T_prefill, W, m_token, n_bytes
from symbolic_llm.steps import add, larger_of, premise
from symbolic_llm.written import Eq, Max

ARITHMETIC = C_prefill / F
READ = P_prompt * n_bytes + B * N * m_token
LONGER = Max(ARITHMETIC, READ / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_prefill, LONGER),
    models=CACHED,
    kind=Kind.LAW,
    uses=(prefill_product_flops, prefill_weights_read, kv_bytes_per_token),
    steps=(
        premise(
            P_prompt * n_bytes / W,
            "the weights are read once, at full bandwidth",
            measured_by="clock.prefill_memory_time[!*.cache]",
        ),
        add(
            B * N * m_token / W,
            READ / W,
            "and the key and value of every token",
            measured_by="clock.prefill_memory_time[*.cache]",
        ),
        larger_of(ARITHMETIC, LONGER, "while it runs, the arithmetic is done"),
    ),
    measured_by="clock.prefill_time_with_cache",
    example={"model": "llama-3-70b", "hardware": "h100-sxm", "dtype": "fp8", "N": 8192, "B": 1},
)
