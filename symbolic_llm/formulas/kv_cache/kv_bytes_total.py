"""Bytes of the KV cache

For a batch of sequences, each as long as the context, and of states where some blocks have these in the place of a
cache. Blocks with a window forget what lies before it.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.notation import B, M_cache, M_seq
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_cache, B * M_seq),
    uses=(context_bytes,),
    steps=(
        premise(M_seq, "one sequence", measured_by="cache.bytes_of_a_sequence"),
        multiply(B, CLAIM, "every sequence of the batch has a cache of its own"),
    ),
    measured_by="cache.bytes",
    sources=("baseten-2023",),
    example={"model": "llama-65b", "cache": "int4", "N": 2048, "B": 1},
)
