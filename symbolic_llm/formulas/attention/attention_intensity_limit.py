"""Intensity of textbook attention for long sequences

However long the sequence, textbook attention does not get past this: both operations and bytes grow with N². Only
fewer bytes (tiling) or wider heads raise it.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.attention_intensity import FORMULA as attention_intensity
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import I_limit, N, d, n_bytes_act
from symbolic_llm.steps import CLAIM, cite, limit
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_limit, (two_products * d + softmax) / (4 * each_value * n_bytes_act)),
    plain=(N,),
    uses=(attention_intensity,),
    steps=(
        cite(attention_intensity, "at any length"),
        limit(N, CLAIM, "the narrow matrices become negligible beside the square ones"),
    ),
    unmeasured="a limit for infinitely long sequences; every finite length is measured by attention_intensity",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "dtype": "fp16"},
)
