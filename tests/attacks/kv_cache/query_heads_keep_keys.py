"""Every query head keeps a key and a value of its own

False where heads share keys (grouped queries): the count goes with the key/value heads.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_head, m_layer, n_bytes_kv, n_heads
from symbolic_llm.steps import multiply, premise

EACH = key_number * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    models=(Trait.GROUPED,),
    claim=Eq(m_layer, key_and_value * n_heads * EACH),
    steps=(
        premise(EACH, "the key of one head", measured_by="cache.bytes_of_a_token_in_a_layer[*.keys](n_kv_heads=1)"),
        multiply(n_heads, n_heads * EACH, "every head keeps its own"),
        multiply(key_and_value, key_and_value * n_heads * EACH, "a value is as wide as a key"),
    ),
    measured_by="cache.bytes_of_a_token_in_a_layer",
    example={"model": "llama-2-7b", "cache": "fp16"},
)
