"""Weights of a router's scales

Gemma 4 scales each number that a router sees, and the weight that it gives each expert.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_scales, d_model, n_experts
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_scales, each_weight * (d_model + n_experts)),
    steps=(
        premise(
            each_weight * d_model,
            "one for each number of a token",
            measured_by="weights.of_router_scales[*.router_norm.*]",
        ),
        add(
            each_weight * n_experts,
            each_weight * (d_model + n_experts),
            "and one for each expert",
            measured_by="weights.of_router_scales[*.expert_scales.*]",
        ),
    ),
    measured_by="weights.of_router_scales",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b"},
)
