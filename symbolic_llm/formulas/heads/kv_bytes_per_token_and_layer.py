"""Cache bytes of one token in one layer

One key and one value for each key/value head. Where groups of query heads share one (grouped-query attention) the
cache is smaller by the size of the group; with one for all (multi-query attention), by the number of heads.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_head, m_layer, n_bytes_kv, n_kv_heads
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    models=(Trait.GROUPED,),
    claim=Eq(m_layer, key_and_value * key_number * n_kv_heads * d_head * n_bytes_kv),
    steps=(
        premise(
            key_number * d_head * n_bytes_kv,
            "the key of one head",
            measured_by="cache.bytes_of_a_token_in_a_layer[*.keys](n_kv_heads=1)",
        ),
        multiply(
            n_kv_heads,
            key_number * n_kv_heads * d_head * n_bytes_kv,
            "every key/value head keeps its own",
            measured_by="cache.bytes_of_a_token_in_a_layer[*.keys]",
        ),
        multiply(key_and_value, CLAIM, "a value is as wide as a key"),
    ),
    measured_by="cache.bytes_of_a_token_in_a_layer",
    sources=("ainslie-2023",),
    example={"model": "llama-2-7b", "cache": "fp16"},
)
