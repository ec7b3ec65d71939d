"""Weights of attention whose heads share one vector

Queries are made from a compressed query. One vector of a token is key and value for all heads. What the heads give is
brought to the model's width in two steps, since all heads together are much wider: each group of heads to a short
vector, and all of these together to the model's.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model, d_output, d_query, n_heads, n_output_groups
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

QUERIES = each_weight * d_query * (d_model + n_heads * d_head)
VECTOR = each_weight * d_model * d_head
GROUPS = each_weight * n_heads * d_head * d_output
OUTPUT = each_weight * n_output_groups * d_output * d_model

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, QUERIES + VECTOR + GROUPS + OUTPUT),
    steps=(
        premise(
            QUERIES,
            "queries of all heads, from the compressed one",
            measured_by="weights.of_shared_vectors[*.query, *.query_down]",
        ),
        add(VECTOR, QUERIES + VECTOR, "the one vector", measured_by="weights.of_shared_vectors[*.key_value]"),
        add(
            GROUPS,
            QUERIES + VECTOR + GROUPS,
            "each group of heads has a matrix of its own: together they are as wide as the heads",
            measured_by="weights.of_shared_vectors[*.output_down]",
        ),
        add(OUTPUT, CLAIM, "the short vectors of all groups", measured_by="weights.of_shared_vectors[*.output]"),
    ),
    measured_by="weights.of_shared_vectors",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
