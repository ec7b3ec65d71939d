"""Weights of queries that are not compressed

Small models with latent attention, such as DeepSeek-V2-Lite, make queries directly from a token's vector, with one
matrix for all heads.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_model, d_nope, d_rope, n_heads
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, each_weight * d_model * n_heads * (d_nope + d_rope)),
    steps=(
        premise(
            each_weight * d_model * (d_nope + d_rope),
            "a query is as wide as a key, both of its parts",
            measured_by="weights.of_queries(n_heads=1)",
        ),
        multiply(n_heads, CLAIM, "every head has its own"),
    ),
    measured_by="weights.of_queries",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2-lite"},
)
