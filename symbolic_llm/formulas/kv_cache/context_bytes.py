"""Bytes kept of a sequence

Where no block forgets: every block keeps every token of the context, whether it reads it again or not.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import M_seq, N, m_token
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_seq, N * m_token),
    models=(Trait.FULL, Trait.PICKED),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(m_token, "one token", measured_by="cache.bytes_of_a_token"),
        multiply(N, CLAIM, "no block forgets one"),
    ),
    measured_by="cache.bytes_of_a_sequence",
    example={"model": "llama-2-7b", "cache": "fp16", "N": 4096},
)
