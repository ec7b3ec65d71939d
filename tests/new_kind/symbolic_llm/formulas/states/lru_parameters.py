"""Weights of the matrices of a gated linear recurrence

Values and a gate lead in, and one matrix leads out.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_state, d_model
from symbolic_llm.notation.lru import d_lru
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

three = count(3, "matrices: values, a gate and the output")
ONE = each_weight * d_model * d_lru

FORMULA = Formula(
    __name__,
    claim=Eq(P_state, three * ONE),
    steps=(
        premise(ONE, "from the channels to the model", measured_by="weights.of_lru[*_out]"),
        multiply(three, CLAIM, "two as large lead into it"),
    ),
    measured_by="weights.of_lru",
    example={"d_model": 2048, "d_lru": 2560},
)
