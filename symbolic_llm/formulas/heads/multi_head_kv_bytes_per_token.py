"""Cache bytes of one token with multi-head attention

The special case of the articles: every head has keys and values of its own, and the heads share the model's width.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import heads_fill_model, heads_keep_their_own, key_and_value, key_number
from symbolic_llm.notation import d_head, d_model, m_token, n_blocks, n_bytes_kv, n_heads
from symbolic_llm.steps import CLAIM, cite, substitute
from symbolic_llm.unevaluated import Eq

BOTH = key_and_value * key_number * n_blocks

FORMULA = Formula(
    __name__,
    claim=Eq(m_token, BOTH * d_model * n_bytes_kv),
    where=(heads_keep_their_own, heads_fill_model),
    uses=(kv_bytes_per_token,),
    steps=(
        cite(kv_bytes_per_token, "with any number of key/value heads"),
        substitute(heads_keep_their_own, BOTH * n_heads * d_head * n_bytes_kv, "no head shares its keys"),
        substitute(heads_fill_model, CLAIM, "side by side they are as wide as the model"),
    ),
    measured_by="cache.bytes_of_a_token",
    sources=("timbers-2023", "baseten-2023"),
    example={"model": "llama-2-7b", "cache": "fp16"},
)
