"""Weights of an MLP, whatever its width

False where the MLP is not four times as wide as the model; mlp_parameters says so with a condition.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_mlp, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

EACH = count(8, "two matrices, four times as wide as the model") * each_weight * d_model**2

FORMULA = Formula(
    __name__,
    claim=Eq(P_mlp, EACH),
    steps=(premise(EACH, "two matrices"),),
    measured_by="schematic/weights.of_mlp",
    example={"model": "llama-3-8b"},
)
