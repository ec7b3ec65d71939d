"""Biases of a short convolution"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_conv
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * d_conv),
    steps=(premise(each_weight * d_conv, "one for each channel"),),
    measured_by="weights.of_taps_biases",
    sources=("dao-2024",),
    example={"model": "nemotron-3-nano-30b-a3b"},
)
