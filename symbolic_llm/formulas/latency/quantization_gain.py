"""Gain of fewer bytes per weight beside a fixed overhead

The overhead stays, so a quarter of the bytes makes a step less than four times as fast.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.read_time_with_overhead import FORMULA as read_time_with_overhead
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import D_weights, G, P_read, T_overhead, W, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, cite, divide, rewrite, substitute
from symbolic_llm.unevaluated import Eq

TIME = read_time_with_overhead.rhs.xreplace({D_weights: P_read * n_bytes})
OTHER = TIME.xreplace({n_bytes: n_bytes_2})
GAIN = (P_read * n_bytes + W * T_overhead) / (P_read * n_bytes_2 + W * T_overhead)

FORMULA = Formula(
    __name__,
    claim=Eq(G, GAIN),
    kind=Kind.LAW,
    uses=(read_time_with_overhead, weight_bytes_read),
    steps=(
        cite(read_time_with_overhead, "the time with the bytes there were"),
        substitute(weight_bytes_read, TIME, "all weights in one format"),
        divide(OTHER, TIME / OTHER, "for that with the others"),
        rewrite(CLAIM, "as if the overhead read bytes too"),
    ),
    measured_by="clock.gain_of_other_bytes",
    example={
        "model": "llama-2-7b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "n_bytes_2": 0.5,
        "T_overhead": "3 ms",
    },
)
