"""Weights of a LayerNorm"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_norm, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

with_bias = count(2, "vectors: weights and biases")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_norm, with_bias * each_weight * d_model),
    steps=(
        premise(each_weight * d_model, "one weight for each channel", measured_by="gpt2/weights.of_norm[*.weight]"),
        multiply(with_bias, with_bias * each_weight * d_model, "and one bias"),
    ),
    measured_by="gpt2/weights.of_norm",
    sources=("ba-2016",),
    example={"model": "gpt2"},
)
