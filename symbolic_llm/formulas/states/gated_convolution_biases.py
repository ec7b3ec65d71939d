"""Biases of the matrices of a gated short convolution"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_conv, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

gates_and_values = count(3, "vectors: values, and a gate before and one after the convolution")
CHANNELS = gates_and_values * each_weight * d_conv

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, CHANNELS + each_weight * d_model),
    steps=(
        premise(CHANNELS, "of what leads in", measured_by="weights.of_gated_convolution_biases[*_in.*]"),
        add(each_weight * d_model, CHANNELS + each_weight * d_model, "of what leads out"),
    ),
    measured_by="weights.of_gated_convolution_biases",
    sources=("amini-2025",),
    example={"d_model": 2048, "d_conv": 2048},
)
