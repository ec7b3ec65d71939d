"""Weights of an index of entries

The index of compressed sparse attention does not meet tokens but short entries, which a compressor of its own makes of
the same runs. Its queries come from the compressed query that attention has already; how much each query's match counts
is said by the token itself.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, numbers_and_weights, two_series
from symbolic_llm.notation import P_index, d_index, d_model, d_query, n_index_heads
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

QUERIES = each_weight * d_query * n_index_heads * d_index
SHARES = each_weight * d_model * n_index_heads
ENTRIES = two_series * numbers_and_weights * each_weight * d_model * d_index

FORMULA = Formula(
    __name__,
    claim=Eq(P_index, QUERIES + SHARES + ENTRIES),
    steps=(
        premise(QUERIES, "its queries", measured_by="weights.of_entry_index[*_query]"),
        add(SHARES, QUERIES + SHARES, "how much each query counts", measured_by="weights.of_entry_index[*_weight]"),
        add(
            ENTRIES,
            CLAIM,
            "its compressor, whose runs overlap as well",
            measured_by="weights.of_entry_index[*_values, *_gates]",
        ),
    ),
    measured_by="weights.of_entry_index",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
