"""Weights that lead down to the compressed query

The queries of all heads are made from it, so that devices which share the heads have this matrix whole.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_down, d_model, d_query
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

DOWN = each_weight * d_model * d_query

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_down, DOWN),
    steps=(premise(DOWN, "a row for each number of the compressed query"),),
    measured_by="weights.of_query_down",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2"},
)
