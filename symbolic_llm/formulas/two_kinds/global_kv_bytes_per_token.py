"""Cache bytes of one token in the blocks without a window

Where the two kinds of blocks have heads of two kinds.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_head_full, m_global, n_bytes_kv, n_global, n_kv_full
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

KEYS = key_number * n_kv_full * d_head_full * n_bytes_kv

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_global, n_global * key_and_value * KEYS),
    models=(Trait.TWOFOLD,),
    steps=(
        premise(
            key_number * d_head_full * n_bytes_kv,
            "the key of one head",
            measured_by="twofold.bytes_of_a_token_without_windows[*.keys](n_global=1, n_kv_full=1)",
        ),
        multiply(
            n_kv_full,
            KEYS,
            "every key/value head keeps its own",
            measured_by="twofold.bytes_of_a_token_without_windows[*.keys](n_global=1)",
        ),
        multiply(
            key_and_value,
            key_and_value * KEYS,
            "a value is as wide as a key, and kept beside it also where one matrix makes both",
            measured_by="twofold.bytes_of_a_token_without_windows(n_global=1)",
        ),
        multiply(n_global, n_global * key_and_value * KEYS, "in every block without a window"),
    ),
    measured_by="twofold.bytes_of_a_token_without_windows",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b", "cache": "fp16"},
)
