"""Context beyond which picking tokens reads less

Up to as many tokens as are picked, all are read and the keys of the index besides. Beyond, each further token brings a
key to read and no latent vector. This is the context at which both are even; it is longer than what is picked.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.cached_latent_bytes_per_token import (
    FORMULA as cached_latent_bytes_per_token,
)
from symbolic_llm.formulas.sparse_attention.index_bytes_per_token import FORMULA as index_bytes_per_token
from symbolic_llm.notation import N_fewer_bytes, m_index, m_latent, n_picked
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq, Gt

keys_are_smaller = Condition(
    Gt(m_latent, m_index),
    "the keys of the indexes take less room than the latent vectors",
    "none: the keys of the indexes take as much room as what they save reading",
)

FORMULA = Formula(
    __name__,
    claim=Eq(N_fewer_bytes, n_picked * m_latent / (m_latent - m_index)),
    models=(Trait.LATENT, Trait.PICKED),
    where=(keys_are_smaller,),
    uses=(cached_latent_bytes_per_token, index_bytes_per_token),
    steps=(
        premise(
            n_picked * m_latent,
            "the latent vectors that are read of any longer context",
            measured_by="decode.bytes_of_a_sequence[*.attention.cache](context=100)",
        ),
        divide(m_latent - m_index, CLAIM, "each token would bring a latent vector to read, and brings a key"),
    ),
    measured_by="index.as_many_bytes",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "cache": "fp16"},
)
