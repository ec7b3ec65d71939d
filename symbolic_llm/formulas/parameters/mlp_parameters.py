"""Weights of the MLP

In the block of the articles one matrix makes the vector four times as long, and the other brings it back.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.mlp.plain_mlp_parameters import FORMULA as plain_mlp_parameters
from symbolic_llm.formulas.shared import each_weight, mlp_factor, mlp_is_fourfold
from symbolic_llm.notation import P_mlp, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, cite, substitute
from symbolic_llm.unevaluated import Eq

two_matrices = count(2, "matrices: up and down")

FORMULA = Formula(
    __name__,
    claim=Eq(P_mlp, two_matrices * mlp_factor * each_weight * d_model**2),
    where=(mlp_is_fourfold,),
    uses=(plain_mlp_parameters,),
    steps=(
        cite(plain_mlp_parameters, "a matrix that widens, and one that narrows"),
        substitute(mlp_is_fourfold, CLAIM, "inside, the vector is four times as long"),
    ),
    measured_by="schematic/weights.of_mlp",
    sources=("timbers-2023", "kipply-2022"),
    example={"model": "gpt2"},
)
