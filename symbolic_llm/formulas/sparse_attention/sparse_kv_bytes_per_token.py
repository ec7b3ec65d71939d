"""Cache bytes of one token with sparse attention

The latent vectors and the keys of the indexes. Both are kept for the whole context: a token that is not picked now may
be picked later.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.cached_latent_bytes_per_token import (
    FORMULA as cached_latent_bytes_per_token,
)
from symbolic_llm.formulas.sparse_attention.index_bytes_per_token import FORMULA as index_bytes_per_token
from symbolic_llm.notation import m_token
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

BOTH = cached_latent_bytes_per_token.rhs + index_bytes_per_token.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_token, BOTH),
    models=(Trait.LATENT, Trait.PICKED),
    uses=(cached_latent_bytes_per_token, index_bytes_per_token),
    steps=(
        cite(cached_latent_bytes_per_token, "the latent vectors of all blocks"),
        add(index_bytes_per_token, BOTH, "and the keys of the indexes"),
    ),
    measured_by="picked/cache.bytes_of_a_token",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "cache": "fp16"},
)
