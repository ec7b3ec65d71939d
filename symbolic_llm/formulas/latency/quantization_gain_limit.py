"""Gain that no number of bytes exceeds

With next to no bytes for each weight the overhead is left: Amdahl's law.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.quantization_gain import FORMULA as quantization_gain
from symbolic_llm.notation import G_limit, P_read, T_overhead, W, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, cite, limit
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(G_limit, 1 + P_read * n_bytes / (W * T_overhead)),
    kind=Kind.LAW,
    uses=(quantization_gain,),
    steps=(
        cite(quantization_gain, "with fewer bytes for each weight"),
        limit(n_bytes_2, CLAIM, "with ever fewer", to_zero=True),
    ),
    unmeasured="a limit for weights without bytes; every gain before it is measured by quantization_gain",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "T_overhead": "3 ms"},
)
