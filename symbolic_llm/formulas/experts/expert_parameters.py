"""Weights of one expert

A gated MLP of a width of its own.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, three_matrices
from symbolic_llm.notation import P_expert, d_expert, d_model
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_expert, three_matrices * each_weight * d_model * d_expert),
    steps=(
        premise(each_weight * d_model * d_expert, "the matrix that widens", measured_by="weights.of_expert[*.up]"),
        multiply(three_matrices, CLAIM, "the gate has the same shape, the way back the transposed one"),
    ),
    measured_by="weights.of_expert",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b"},
)
