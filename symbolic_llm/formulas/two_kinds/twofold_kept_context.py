"""Context that a block keeps, where heads are of two kinds

In the mean over the bytes of a token, and not over the blocks: what a block with a window forgets is another share of a
token than what a block without would have.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.two_kinds.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.formulas.two_kinds.twofold_kv_bytes_per_token import FORMULA as twofold_kv_bytes_per_token
from symbolic_llm.notation import N, N_kept, m_local, m_token, n_window
from symbolic_llm.steps import premise, subtract
from symbolic_llm.written import Eq, Max

FORGOTTEN = Max(N, n_window) - n_window

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_kept, N - m_local * FORGOTTEN / m_token),
    models=(Trait.TWOFOLD,),
    uses=(local_kv_bytes_per_token, twofold_kv_bytes_per_token),
    steps=(
        premise(N, "a block without a window keeps all", measured_by="twofold/cache.kept_context(n_local=0)"),
        subtract(
            m_local * FORGOTTEN / m_token,
            N - m_local * FORGOTTEN / m_token,
            "the share of a token that lies in blocks with a window is forgotten of all that lies beyond it",
        ),
    ),
    measured_by="cache.kept_context",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b", "cache": "fp16", "N": 8192},
)
