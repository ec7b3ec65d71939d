"""Bytes that windows save

What the cache of a batch would hold more, and a decoding step read more, if every block attended to the whole context.
Nothing while the windows fill; in the long run a share of the cache as large as that of the blocks that have one.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import BEYOND_WINDOW
from symbolic_llm.formulas.windows.windowed_context_bytes import FORMULA as windowed_context_bytes
from symbolic_llm.notation import B, M_saved, N, m_local, m_token
from symbolic_llm.steps import multiply, premise, subtract
from symbolic_llm.unevaluated import Eq

EACH = m_local * BEYOND_WINDOW

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_saved, B * EACH),
    uses=(windowed_context_bytes,),
    steps=(
        premise(
            N * m_token,
            "what would be kept of a sequence if no block had a window",
            measured_by="mixed without windows/cache.bytes_of_a_sequence",
        ),
        subtract(windowed_context_bytes, EACH, "and what is kept with them"),
        multiply(B, B * EACH, "of each sequence"),
    ),
    measured_by="cache.bytes_saved_by_windows",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "dtype": "fp16", "N": 8192, "B": 16},
)
