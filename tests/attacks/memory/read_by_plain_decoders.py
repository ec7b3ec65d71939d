"""Bytes that a step moves of a sequence, of every model

False: a state is read and written back, and what an index does not pick is not read. Dense decoders alone are asked.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import D_seq, N, m_token
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_seq, N * m_token),
    uses=(kv_bytes_per_token,),
    steps=(premise(N * m_token, "all that is kept is read"),),
    measured_by="llama/decode.bytes_of_a_sequence",
    example={"model": "llama-3-8b", "cache": "fp16", "N": 100},
)
