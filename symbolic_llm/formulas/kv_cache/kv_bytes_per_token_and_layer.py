"""Cache bytes of one token in one layer

One key and one value for each head.
"""

from sympy import Eq

from symbolic_llm.counts import heads_fill_model
from symbolic_llm.formula import Formula
from symbolic_llm.notation import d_head, d_model, m_layer, n_bytes_kv, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise, substitute
from symbolic_llm.units import TOKEN, VALUE

key_number = count(1, "each token has its own keys and values", VALUE / TOKEN)
key_and_value = count(2, "vectors: a key and a value")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_layer, key_and_value * key_number * d_model * n_bytes_kv),
    where=(heads_fill_model,),
    steps=(
        premise(
            key_number * d_head * n_bytes_kv,
            "the key of one head",
            measured_by="kv_cache.key_bytes_of_one_head",
        ),
        multiply(n_heads, key_number * n_heads * d_head * n_bytes_kv, "every head keeps its own"),
        substitute(heads_fill_model, key_number * d_model * n_bytes_kv, "side by side they are as wide as the model"),
        multiply(
            key_and_value,
            key_and_value * key_number * d_model * n_bytes_kv,
            "a value is as wide as a key",
        ),
    ),
    measured_by="kv_cache.bytes_per_token_and_layer",
    sources=("timbers-2023",),
    example={"model": "llama-2-7b", "cache": "fp16"},
)
