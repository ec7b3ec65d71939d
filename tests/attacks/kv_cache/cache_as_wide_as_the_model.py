"""A token's keys and values are as wide as the model

False for every model with grouped queries: a LLaMA 3 of 8B keeps a quarter of that. No condition says so.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import d_model, m_token, n_blocks, n_bytes_kv
from symbolic_llm.steps import premise

ALL = key_and_value * key_number * n_blocks * d_model * n_bytes_kv

FORMULA = Formula(
    __name__,
    claim=Eq(m_token, ALL),
    models=(Trait.GROUPED,),
    steps=(premise(ALL, "a key and a value in every layer"),),
    measured_by="cache.bytes_of_a_token",
    example={"model": "llama-3-8b", "cache": "fp16"},
)
