"""Bytes of the KV cache

For a batch of sequences, each as long as the context.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import B, M_cache, N, m_token
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_cache, B * N * m_token),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(m_token, "one token", measured_by="kv_cache.bytes_per_token"),
        multiply(N, N * m_token, "a sequence keeps all of its tokens"),
        multiply(B, B * N * m_token, "every sequence of the batch has a cache of its own"),
    ),
    measured_by="kv_cache.bytes_total",
    sources=("baseten-2023",),
    example={"model": "llama-65b", "cache": "int4", "N": 2048, "B": 1},
)
