"""Bytes of a sequence that a prefill reads

The keys and values of the prompt, once for all its tokens. With windows too: they are all made before any is forgotten.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import D_prompt, N, m_token
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_prompt, N * m_token),
    models=CACHED,
    uses=(kv_bytes_per_token,),
    steps=(
        premise(m_token, "one token", measured_by="cache.bytes_of_a_token"),
        multiply(N, CLAIM, "each of the prompt"),
    ),
    measured_by="prefill.bytes_of_a_sequence",
    example={"model": "llama-2-7b", "cache": "fp16", "N": 512},
)
