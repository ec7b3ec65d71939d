"""Bytes of a sequence that a decoding step reads

Where a new token attends to all that is kept: keys and values are read once, and never written again.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.notation import D_seq, M_seq
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_seq, M_seq),
    models=CACHED,
    uses=(context_bytes,),
    steps=(premise(M_seq, "a new token attends to all that is kept", measured_by="cache.bytes_of_a_sequence"),),
    measured_by="decode.bytes_of_a_sequence",
    example={"model": "llama-2-7b", "cache": "fp16", "N": 4096},
)
