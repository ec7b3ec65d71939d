"""Biases of queries, keys and values

Some models, such as Qwen 2.5, add a learned number to each number of a query, a key and a value.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_head, n_heads, n_kv_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

both = count(2, "matrices: keys and values")

FORMULA = Formula(
    __name__,
    claim=Eq(P_bias, each_weight * d_head * (n_heads + both * n_kv_heads)),
    steps=(
        premise(
            each_weight * d_head,
            "one for each number of a head",
            measured_by="weights.of_query_key_and_value_biases[*.query.*](n_kv_heads=1, group=1)",
        ),
        multiply(
            n_heads,
            each_weight * d_head * n_heads,
            "in every query head",
            measured_by="weights.of_query_key_and_value_biases[*.query.*]",
        ),
        add(both * each_weight * d_head * n_kv_heads, CLAIM, "and in every key and value head"),
    ),
    measured_by="weights.of_query_key_and_value_biases",
    sources=("transformers-count",),
    example={"model": "qwen2.5-7b"},
)
