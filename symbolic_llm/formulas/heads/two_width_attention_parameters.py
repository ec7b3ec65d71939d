"""Weights of attention whose values are of another width than keys

Queries are as wide as keys, since they meet them, and the output matrix leads back from as many numbers as values have.
Where both widths are one, this is grouped-query attention.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model, d_value, n_heads, n_kv_heads
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.unevaluated import Eq

ROW = each_weight * d_model
QUERIES = ROW * d_head * n_heads
KEYS = ROW * d_head * n_kv_heads
VALUES = ROW * d_value * n_kv_heads
OUTPUT = ROW * d_value * n_heads

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, ROW * (d_head + d_value) * (n_heads + n_kv_heads)),
    steps=(
        premise(
            ROW * d_head,
            "the query matrix of one head",
            measured_by="weights.of_attention_of_two_widths[*.query](n_kv_heads=1, group=1)",
        ),
        multiply(n_heads, QUERIES, "every head has its own", measured_by="weights.of_attention_of_two_widths[*.query]"),
        add(KEYS, QUERIES + KEYS, "keys of each group", measured_by="weights.of_attention_of_two_widths[*.key]"),
        add(
            VALUES,
            QUERIES + KEYS + VALUES,
            "values of each group, of a width of their own",
            measured_by="weights.of_attention_of_two_widths[*.value]",
        ),
        add(
            OUTPUT,
            QUERIES + KEYS + VALUES + OUTPUT,
            "the output matrix leads back from the values of every head",
            measured_by="weights.of_attention_of_two_widths[*.output]",
        ),
    ),
    measured_by="weights.of_attention_of_two_widths",
    sources=("transformers-mimo",),
    example={"model": "mimo-v2-flash"},
)
