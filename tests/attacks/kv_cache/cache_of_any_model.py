"""Cache bytes of one token, of every model

False: heads of two kinds, states and windows of other heads keep something else. Only a LLaMA is asked.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_head, m_token, n_blocks, n_bytes_kv, n_kv_heads
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

EACH = key_and_value * key_number * n_blocks * n_kv_heads * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    claim=Eq(m_token, EACH),
    steps=(premise(EACH, "a key and a value in every block"),),
    measured_by="llama/cache.bytes_of_a_token",
    example={"model": "llama-3-8b", "cache": "fp16"},
)
