"""Weights of attention whose keys and values come from one matrix

In the blocks of Gemma 4 that attend to the whole context. What the matrix gives is normed and rotated to be the key; it
is the value without that, so a cache keeps both.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head_full, d_model, n_heads, n_kv_full
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.unevaluated import Eq

output_too = count(2, "matrices: queries and output")

ONE_HEAD = each_weight * d_model * d_head_full
QUERIES = output_too * ONE_HEAD * n_heads
KEYS = ONE_HEAD * n_kv_full

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, ONE_HEAD * (output_too * n_heads + n_kv_full)),
    steps=(
        premise(
            ONE_HEAD,
            "the query matrix of one head",
            measured_by="weights.of_attention_with_shared_keys[*.query](n_kv_heads=1, n_kv_full=1, group=1)",
        ),
        multiply(
            n_heads,
            ONE_HEAD * n_heads,
            "every head has its own",
            measured_by="weights.of_attention_with_shared_keys[*.query]",
        ),
        multiply(
            output_too,
            QUERIES,
            "the output matrix leads back, with the transposed shape",
            measured_by="weights.of_attention_with_shared_keys[*.query, *.output]",
        ),
        add(
            KEYS,
            QUERIES + KEYS,
            "one matrix for keys and values of each group",
            measured_by="weights.of_attention_with_shared_keys[*.key]",
        ),
    ),
    measured_by="weights.of_attention_with_shared_keys",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-31b"},
)
