"""Arithmetic intensity of attention in a decoding step

The operations of scores and weighted sums for each byte of cache that is read: for one token of the context as for all
of them, and with any batch, since each sequence has a cache of its own. Each key and each value is read once for all
query heads of its group, so the intensity grows with the group: one operation for each byte at 16 bits and multi-head
attention, eight with groups of eight. Below the machine's ridge point attention waits for the cache, whatever the batch
and the context.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import I_cache, a, m_token
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_cache, a * one_token / m_token),
    models=STATELESS,
    uses=(attention_flops_per_context_token, kv_bytes_per_token),
    steps=(
        premise(
            a * one_token,
            "the operations of a new token for one token of its context",
            measured_by="attention.flops_per_context_token",
        ),
        divide(m_token, CLAIM, "for the bytes that it holds in the cache"),
    ),
    measured_by="attention.intensity",
    sources=("ainslie-2023", "shazeer-2020"),
    example={"model": "llama-2-70b", "dtype": "fp16"},
)
