"""Arithmetic intensity of grouped attention in a decoding step

Each key and each value is read once for all query heads of its group, so the intensity is that of a single head times
the size of the group: one operation for each byte at 16 bits and multi-head attention, eight with groups of eight.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.cache_intensity import FORMULA as cache_intensity
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import key_and_value, key_number, one_token, score_and_sum
from symbolic_llm.notation import I_cache, m_token, n_bytes_kv, n_heads, n_kv_heads
from symbolic_llm.steps import cite, rewrite, substitute
from symbolic_llm.unevaluated import Eq

OPERATIONS = attention_flops_per_context_token.rhs * one_token
INTENSITY = score_and_sum * one_token * n_heads / (key_and_value * key_number * n_kv_heads * n_bytes_kv)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(I_cache, INTENSITY),
    models=(Trait.GROUPED,),
    uses=(cache_intensity, attention_flops_per_context_token, kv_bytes_per_token),
    steps=(
        cite(cache_intensity, "of any cache"),
        substitute(attention_flops_per_context_token, OPERATIONS / m_token, "each query head computes with each token"),
        substitute(kv_bytes_per_token, OPERATIONS / kv_bytes_per_token.rhs, "each group of them keeps it once"),
        rewrite(INTENSITY, "blocks and widths cancel"),
    ),
    measured_by="attention.intensity",
    sources=("ainslie-2023", "shazeer-2020"),
    example={"model": "llama-2-70b", "dtype": "fp16"},
)
