"""Bytes of the KV cache

For a batch of sequences, each as long as the context; blocks with a window forget what lies before it. States that do
not grow count as the tokens of cache that take as much room.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kept_context import FORMULA as kept_context
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import B, M_cache, N_kept, m_token
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_cache, B * N_kept * m_token),
    uses=(kv_bytes_per_token, kept_context),
    steps=(
        premise(m_token, "one token", measured_by="cache.bytes_of_a_token"),
        multiply(N_kept, N_kept * m_token, "a sequence keeps so many of them", measured_by="cache.bytes(batch=1)"),
        multiply(B, B * N_kept * m_token, "every sequence of the batch has a cache of its own"),
    ),
    measured_by="cache.bytes",
    sources=("baseten-2023",),
    example={"model": "llama-65b", "cache": "int4", "N": 2048, "B": 1},
)
