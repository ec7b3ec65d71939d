"""Weights of compressed queries

Large models with latent attention compress queries, too: one matrix makes a short vector of a token's, and a second one
makes the queries of all heads from it. That saves weights, and no cache, since no query is kept.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_model, d_nope, d_query, d_rope, n_heads
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

DOWN = each_weight * d_model * d_query
UP = each_weight * d_query * n_heads * (d_nope + d_rope)

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, DOWN + UP),
    steps=(
        premise(
            DOWN,
            "down to the compressed query",
            measured_by="weights.of_compressed_queries[*.query_down]",
        ),
        add(UP, CLAIM, "up to the query of every head, as wide as a key"),
    ),
    measured_by="weights.of_compressed_queries",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2"},
)
