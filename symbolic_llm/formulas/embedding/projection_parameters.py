"""Weights between embedding and model

Where the embedding is narrower than the model, as in OPT-350M, a matrix widens it, and another one leads back before
the output.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_projection, d_embedding, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

in_and_out = count(2, "matrices: in and out")

FORMULA = Formula(
    __name__,
    claim=Eq(P_projection, in_and_out * each_weight * d_embedding * d_model),
    steps=(
        premise(
            each_weight * d_embedding * d_model, "the matrix that widens", measured_by="weights.of_projections[*_in]"
        ),
        multiply(in_and_out, CLAIM, "the way back has the transposed shape"),
    ),
    measured_by="weights.of_projections",
    sources=("transformers-count",),
    example={"model": "opt-350m"},
)
