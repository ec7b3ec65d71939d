"""Weights of attention to what another block keeps

Such a block makes no keys and values: it has a matrix for its queries, and one that leads back from what it attends to.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model, d_value, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

ROW = each_weight * d_model

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, ROW * n_heads * (d_head + d_value)),
    steps=(
        premise(
            ROW * d_head,
            "a query is as wide as the keys that it meets",
            measured_by="borrowing/weights.of_queries_and_output[*.query](n_kv_heads=1, group=1)",
        ),
        add(
            ROW * d_value,
            ROW * (d_head + d_value),
            "what comes back is as wide as a value",
            measured_by="borrowing/weights.of_queries_and_output[*.output](n_kv_heads=1, group=1)",
        ),
        multiply(n_heads, CLAIM, "in every head"),
    ),
    measured_by="weights.of_queries_and_output",
    sources=("transformers-gemma4",),
    example={"d_model": 1536, "n_heads": 8, "d_head": 256, "d_value": 256},
)
