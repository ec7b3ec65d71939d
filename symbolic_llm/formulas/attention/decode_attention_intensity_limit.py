"""Intensity of attention for one query and a long context

However long the context, decoding does not get past two operations for each number it loads: a key and a value are used
for one multiplication and one addition each.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.decode_attention_intensity import FORMULA as decode_attention_intensity
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import I_query_limit, N, d, n_bytes_act
from symbolic_llm.steps import cite, limit
from symbolic_llm.unevaluated import Eq

LIMIT = (two_products * d + softmax) / (2 * each_value * n_bytes_act * (d + 2))

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(I_query_limit, LIMIT),
    plain=(N,),
    uses=(decode_attention_intensity,),
    steps=(
        cite(decode_attention_intensity, "at any context"),
        limit(N, LIMIT, "the query and the output become negligible beside keys and values"),
    ),
    unmeasured="a limit for infinitely long contexts; every finite one is measured by decode_attention_intensity",
    example={"model": "llama-2-7b", "dtype": "fp16"},
)
