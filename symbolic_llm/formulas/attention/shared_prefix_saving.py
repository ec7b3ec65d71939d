"""Bytes that sharing a prefix saves

As many times the prefix's keys and values as there are sequences beside the first: nothing for one sequence, and more
with each one.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.shared_prefix_bytes import FORMULA as shared_prefix_bytes
from symbolic_llm.formulas.attention.shared_prefix_bytes import VECTOR
from symbolic_llm.notation import B, D_saved, N, n_prefix
from symbolic_llm.steps import premise, subtract
from symbolic_llm.unevaluated import Eq

APART = 2 * B * (1 + N) * VECTOR
SAVED = 2 * (B - 1) * n_prefix * VECTOR

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_saved, SAVED),
    plain=(B, N, n_prefix),
    uses=(shared_prefix_bytes,),
    steps=(
        premise(APART, "with a prefix for each sequence", measured_by="prefix for each/shared.bytes"),
        subtract(shared_prefix_bytes, SAVED, "with one for all"),
    ),
    measured_by="shared.saves",
    example={"model": "llama-2-7b", "B": 16, "N": 4096, "n_prefix": 2048, "dtype": "fp16"},
)
