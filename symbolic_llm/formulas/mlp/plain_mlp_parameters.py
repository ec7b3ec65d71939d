"""Weights of a plain MLP

Two matrices: one widens the vector, the other brings it back. The width is often, but not always, four times the
model's.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_mlp, d_ff, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

two_matrices = count(2, "matrices: up and down")

FORMULA = Formula(
    __name__,
    claim=Eq(P_mlp, two_matrices * each_weight * d_model * d_ff),
    steps=(
        premise(each_weight * d_model * d_ff, "the matrix that widens", measured_by="gpt2/weights.of_mlp[*.up]"),
        multiply(two_matrices, CLAIM, "the way back has the transposed shape"),
    ),
    measured_by="gpt2/weights.of_mlp",
    sources=("kipply-2022",),
    example={"model": "gpt2"},
)
