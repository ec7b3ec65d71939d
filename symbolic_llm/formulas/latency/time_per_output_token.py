"""Time per output token

The mean of the decoding steps, which get longer from one to the next: as long as one with a context of middle length.
The first token of an answer comes with the prefill and is not among them.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.decode_time_with_cache import FORMULA as decode_time_with_cache
from symbolic_llm.formulas.shared import half, one_token
from symbolic_llm.notation import B, D_weights, N, T_output, W, m_token, n_new
from symbolic_llm.steps import CLAIM, cite, divide, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_output, (D_weights + B * m_token * (N + (n_new + one_token) / half)) / W),
    kind=Kind.LAW,
    uses=(decode_time_with_cache,),
    steps=(
        cite(decode_time_with_cache, "all decoding steps"),
        divide(n_new / one_token, decode_time_with_cache.rhs * one_token / n_new, "by their number"),
        rewrite(CLAIM, "weights, and a cache of middle length"),
    ),
    measured_by="clock.time_per_output_token",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "N": 500, "n_new": 500, "B": 1},
)
