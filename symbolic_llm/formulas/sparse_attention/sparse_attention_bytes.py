"""Bytes that sparse attention reads

Of one sequence in a decoding step: the index reads its key of every token, attention the latent vectors of the tokens
that were picked. Beyond what is picked only the keys go on growing.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.cached_latent_bytes_per_token import (
    FORMULA as cached_latent_bytes_per_token,
)
from symbolic_llm.formulas.sparse_attention.index_bytes_per_token import FORMULA as index_bytes_per_token
from symbolic_llm.formulas.sparse_attention.picked_context import FORMULA as picked_context
from symbolic_llm.notation import D_seq, N, N_picked, m_index, m_latent
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

PICKED = N_picked * m_latent

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_seq, N * m_index + PICKED),
    models=(Trait.LATENT, Trait.PICKED),
    uses=(index_bytes_per_token, cached_latent_bytes_per_token, picked_context),
    steps=(
        premise(m_index, "the keys of one token in all indexes", measured_by="index.bytes_of_a_token"),
        multiply(N, N * m_index, "of every token", measured_by="decode.bytes_of_a_sequence[*.index.cache]"),
        add(
            PICKED,
            N * m_index + PICKED,
            "and the latent vectors of those that are picked",
            measured_by="decode.bytes_of_a_sequence[*.attention.cache]",
        ),
    ),
    measured_by="decode.bytes_of_a_sequence",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "cache": "fp16", "N": 65536},
)
