"""Biases of a router"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, n_experts
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * n_experts),
    steps=(premise(each_weight * n_experts, "one for the score of each expert"),),
    measured_by="weights.of_router_biases",
    sources=("gpt-oss-2025",),
    example={"model": "gpt-oss-20b"},
)
