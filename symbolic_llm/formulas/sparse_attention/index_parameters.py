"""Weights of an index

Its queries are made from the compressed query that attention has already; one key of a token is for all of them. How
much each query's match counts is said by the token itself, in one row for each.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_index, d_index, d_model, d_query, n_index_heads
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

QUERIES = each_weight * d_query * n_index_heads * d_index
KEY = each_weight * d_model * d_index
SHARES = each_weight * d_model * n_index_heads

FORMULA = Formula(
    __name__,
    claim=Eq(P_index, QUERIES + KEY + SHARES),
    models=(Trait.PICKED,),
    steps=(
        premise(QUERIES, "its queries, from the compressed query", measured_by="weights.of_index[*_query]"),
        add(KEY, QUERIES + KEY, "one key, which all queries share", measured_by="weights.of_index[*_key]"),
        add(SHARES, CLAIM, "and how much each query counts"),
    ),
    measured_by="weights.of_index",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2"},
)
