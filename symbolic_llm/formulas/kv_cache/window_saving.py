"""Bytes that windows save

What the cache of a batch would hold more, and a decoding step read more, if every block attended to the whole context.
Nothing while the windows fill; in the long run a share of the cache as large as that of the blocks that have one.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.windowed_kept_context import FORGOTTEN
from symbolic_llm.formulas.kv_cache.windowed_kept_context import FORMULA as windowed_kept_context
from symbolic_llm.notation import B, M_saved, N, m_token, n_blocks, n_local
from symbolic_llm.steps import multiply, premise, subtract
from symbolic_llm.written import Eq

EACH = n_local * FORGOTTEN / n_blocks

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_saved, B * m_token * EACH),
    uses=(windowed_kept_context,),
    steps=(
        premise(N, "what a block without a window keeps", measured_by="mixed without windows/cache.kept_context"),
        subtract(windowed_kept_context, EACH, "and what a block keeps with them, in the mean"),
        multiply(B * m_token, B * m_token * EACH, "of each sequence, over all blocks"),
    ),
    measured_by="cache.bytes_saved_by_windows",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "dtype": "fp16", "N": 8192, "B": 16},
)
