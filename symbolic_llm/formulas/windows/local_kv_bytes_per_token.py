"""Cache bytes of one token in the blocks with a window

As many as in all blocks, if all have one.
"""

from symbolic_llm.architecture import WITH_WINDOWS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_head, m_local, n_bytes_kv, n_kv_heads, n_local
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

KEYS = key_number * n_kv_heads * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    claim=Eq(m_local, n_local * key_and_value * KEYS),
    models=(Trait.GROUPED, Trait.UNEQUAL, *WITH_WINDOWS),
    steps=(
        premise(
            key_number * d_head * n_bytes_kv,
            "the key of one head",
            measured_by="windows.bytes_of_a_token[*.keys](n_local=1, n_kv_heads=1)",
        ),
        multiply(
            n_kv_heads,
            KEYS,
            "every key/value head keeps its own",
            measured_by="windows.bytes_of_a_token[*.keys](n_local=1)",
        ),
        multiply(
            key_and_value,
            key_and_value * KEYS,
            "a value is as wide as a key, and kept beside it",
            measured_by="windows.bytes_of_a_token(n_local=1)",
        ),
        multiply(n_local, CLAIM, "in every block with a window"),
    ),
    measured_by="windows.bytes_of_a_token",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b", "cache": "fp16"},
)
