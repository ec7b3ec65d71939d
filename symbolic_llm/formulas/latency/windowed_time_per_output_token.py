"""Time per output token, where some blocks have a window

The mean of the decoding steps. Once all windows are full and no block is without one, all steps take as long.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.windowed_kv_bytes_read_while_generating import (
    FORMULA as windowed_kv_bytes_read_while_generating,
)
from symbolic_llm.formulas.latency.windowed_decode_time_with_cache import FORMULA as windowed_decode_time_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import D_weights, T_output, W, n_new
from symbolic_llm.steps import cite, divide, rewrite
from symbolic_llm.written import Eq

STEPS = windowed_decode_time_with_cache.rhs
MEAN = (D_weights + windowed_kv_bytes_read_while_generating.rhs * one_token / n_new) / W

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_output, MEAN),
    kind=Kind.LAW,
    uses=(windowed_decode_time_with_cache, windowed_kv_bytes_read_while_generating),
    steps=(
        cite(windowed_decode_time_with_cache, "all decoding steps"),
        divide(n_new / one_token, STEPS * one_token / n_new, "by their number"),
        rewrite(MEAN, "weights, and the mean of what is read of the cache"),
    ),
    measured_by="clock.time_per_output_token",
    example={
        "model": "mistral-7b-v0.1",
        "hardware": "a100-80gb-pcie",
        "dtype": "fp16",
        "N": 4000,
        "n_new": 500,
        "B": 1,
    },
)
