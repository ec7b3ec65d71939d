"""Weights of grouped-query attention

Queries and output have a part for every head, keys and values one for every group of heads. One group for each head is
multi-head attention, one for all is multi-query attention. The heads need not be as wide together as the model.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads, n_kv_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.unevaluated import Eq

output_too = count(2, "matrices: queries and output")
values_too = count(2, "matrices: keys and values")

ONE_HEAD = each_weight * d_model * d_head
QUERIES = output_too * ONE_HEAD * n_heads
KEYS = values_too * ONE_HEAD * n_kv_heads

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, 2 * each_weight * d_model * d_head * (n_heads + n_kv_heads)),
    steps=(
        premise(
            ONE_HEAD, "the query matrix of one head", measured_by="weights.of_attention[*.query](n_kv_heads=1, group=1)"
        ),
        multiply(n_heads, ONE_HEAD * n_heads, "every head has its own", measured_by="weights.of_attention[*.query]"),
        multiply(
            output_too,
            QUERIES,
            "the output matrix leads back, with the transposed shape",
            measured_by="weights.of_attention[*.query, *.output]",
        ),
        add(KEYS, QUERIES + KEYS, "keys and values of each group", measured_by="weights.of_attention[*.key, *.value]"),
    ),
    measured_by="weights.of_attention",
    sources=("ainslie-2023",),
    example={"model": "llama-3-8b"},
)
