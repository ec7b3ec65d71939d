"""When picking tokens reads less

A decoding step with an index reads less than one that reads the latent vectors of all tokens exactly beyond
fewer_bytes_context. That lies beyond what is picked; with fewer tokens all are read, and the keys of the index besides.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.fewer_bytes_context import FORMULA as fewer_bytes_context
from symbolic_llm.formulas.sparse_attention.fewer_bytes_context import keys_are_smaller
from symbolic_llm.notation import N, m_index, m_latent, n_picked
from symbolic_llm.steps import CLAIM, divide, premise, subtract
from symbolic_llm.unevaluated import Lt

LESS = Lt(N * m_index + n_picked * m_latent, N * m_latent)

FORMULA = Formula(
    __name__,
    claim=Equivalence(LESS, Lt(fewer_bytes_context.rhs, N)),
    kind=Kind.THEOREM,
    where=(keys_are_smaller,),
    models=(Trait.LATENT, Trait.PICKED),
    uses=(fewer_bytes_context,),
    steps=(
        premise(LESS, "keys of all tokens and latent vectors of some are less than latent vectors of all"),
        subtract(
            N * m_index,
            Lt(n_picked * m_latent, N * (m_latent - m_index)),
            "what is read of those that are picked is less than what all others save",
        ),
        divide(m_latent - m_index, CLAIM, "by what each saves"),
    ),
    measured_by="index.fewer_bytes",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "cache": "fp16", "N": 65536},
)
