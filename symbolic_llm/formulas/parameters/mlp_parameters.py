"""Weights of the MLP

Two matrices: one widens the vector, the other brings it back.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, mlp_factor
from symbolic_llm.notation import P_mlp, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

two_matrices = count(2, "matrices: up and down")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_mlp, two_matrices * mlp_factor * each_weight * d_model**2),
    steps=(
        premise(
            mlp_factor * each_weight * d_model**2,
            "the first matrix takes a vector of the model to one four times as wide",
            measured_by="schematic/weights.of_mlp[*.up]",
        ),
        multiply(
            two_matrices,
            two_matrices * mlp_factor * each_weight * d_model**2,
            "the second matrix has the transposed shape",
        ),
    ),
    measured_by="schematic/weights.of_mlp",
    sources=("timbers-2023", "kipply-2022"),
    example={"model": "gpt2"},
)
