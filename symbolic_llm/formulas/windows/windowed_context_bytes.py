"""Bytes kept of a sequence, where some blocks have a window

A block that attends to a window keeps the keys and values of that window and forgets older ones. Until a sequence is as
long as the window, it makes no difference; from then on only the other blocks' caches go on growing. What is subtracted
is what windows save, in memory and in reading: in the long run a share of the cache as large as that of the blocks that
have one.
"""

from symbolic_llm.architecture import WITH_WINDOWS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import BEYOND_WINDOW, windows_are_in_blocks
from symbolic_llm.formulas.windows.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.notation import M_seq, N, m_local, m_token
from symbolic_llm.steps import CLAIM, premise, subtract
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_seq, N * m_token - m_local * BEYOND_WINDOW),
    where=(windows_are_in_blocks,),
    models=(Trait.GROUPED, Trait.UNEQUAL, *WITH_WINDOWS),
    uses=(kv_bytes_per_token, local_kv_bytes_per_token),
    steps=(
        premise(
            N * m_token,
            "while windows fill, every block keeps every token",
            measured_by="cache.bytes_of_a_sequence(window=1000)",
        ),
        subtract(
            m_local * BEYOND_WINDOW,
            CLAIM,
            "the blocks with a window forget what lies beyond it, nothing while it fills",
        ),
    ),
    measured_by="cache.bytes_of_a_sequence",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "cache": "fp16", "N": 8192},
)
