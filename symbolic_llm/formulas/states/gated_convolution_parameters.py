"""Weights of the matrices of a gated short convolution

What enters the convolution is weighed by a gate, and so is what leaves it. The convolution has no state beside its last
inputs.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_state, d_conv, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

gates_and_values = count(4, "matrices: values, a gate before and one after the convolution, and the output")
ONE = each_weight * d_model * d_conv

FORMULA = Formula(
    __name__,
    claim=Eq(P_state, gates_and_values * ONE),
    steps=(
        premise(ONE, "from the channels to the model", measured_by="weights.of_gated_convolutions[*_out]"),
        multiply(gates_and_values, CLAIM, "three as large lead into the convolution"),
    ),
    measured_by="weights.of_gated_convolutions",
    sources=("amini-2025",),
    example={"d_model": 2048, "d_conv": 2048},
)
