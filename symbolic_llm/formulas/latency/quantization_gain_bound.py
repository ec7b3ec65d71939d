"""Fewer bytes gain less than their share

However small the overhead is, a step with half the bytes for each weight is less than twice as fast.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.quantization_gain import FORMULA as quantization_gain
from symbolic_llm.formulas.latency.quantization_gain import GAIN
from symbolic_llm.notation import P_read, T_overhead, W, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Lt

FEWER = Lt(n_bytes_2, n_bytes)
OVERHEAD = W * T_overhead

FORMULA = Formula(
    __name__,
    claim=Equivalence(FEWER, Lt(GAIN, n_bytes / n_bytes_2)),
    kind=Kind.THEOREM,
    uses=(quantization_gain,),
    steps=(
        premise(FEWER, "a weight takes fewer bytes than it did"),
        multiply(OVERHEAD, Lt(OVERHEAD * n_bytes_2, OVERHEAD * n_bytes), "by the bytes of the overhead"),
        add(
            P_read * n_bytes * n_bytes_2,
            Lt((P_read * n_bytes + OVERHEAD) * n_bytes_2, (P_read * n_bytes_2 + OVERHEAD) * n_bytes),
            "the same on both sides",
        ),
        multiply(1 / (n_bytes_2 * (P_read * n_bytes_2 + OVERHEAD)), CLAIM, "by what is positive"),
    ),
    measured_by="clock.gain_is_below_share",
    example=quantization_gain.example,
)
