"""Weights of a router

In a block with experts a small matrix has one row for each expert. The product of a token's vector with a row is that
expert's score, and the token is sent to the experts with the highest scores.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_router, d_model, n_experts
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_router, each_weight * n_experts * d_model),
    steps=(
        premise(
            each_weight * d_model,
            "the score of one expert is a product with one row",
            measured_by="weights.of_router(n_active=1, idle=0)",
        ),
        multiply(n_experts, CLAIM, "every expert has a score"),
    ),
    measured_by="weights.of_router",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b"},
)
