"""Compute time

Every sequence of the batch multiplies with every weight.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, F, T_compute
from symbolic_llm.steps import CLAIM, cite, divide, multiply
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_compute, flops_per_token.rhs * B * one_token / F),
    kind=Kind.LAW,
    uses=(flops_per_token, total_parameters),
    steps=(
        cite(flops_per_token, "the operations of one token, without attention"),
        multiply(
            B * one_token,
            flops_per_token.rhs * B * one_token,
            "one token for each sequence",
            measured_by="decode.flops_of_weights",
        ),
        divide(F, CLAIM, "at peak arithmetic"),
    ),
    measured_by="clock.compute_time",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "B": 1},
)
