"""Arithmetic intensity of attention for one query

Each key and each value of one head is loaded to be used by one query, so it does about one operation for each byte at
16 bits, for all but the shortest contexts; where a group of query heads shares them, as many times that as the group
has heads. No batch changes it: every sequence has a cache of its own. Nor does the context change much: however long it
is, a key and a value are used for one multiplication and one addition each, so the intensity stays below two operations
for each number that is loaded.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.decode_attention_bytes import FORMULA as decode_attention_bytes
from symbolic_llm.formulas.attention.decode_attention_flops import FORMULA as decode_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import I_query, N, d, n_bytes_act
from symbolic_llm.steps import CLAIM, cite, divide, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_query, N * (two_products * d + softmax) / (2 * each_value * n_bytes_act * (N * d + 2 * N + d))),
    plain=(N,),
    uses=(decode_attention_flops, decode_attention_bytes),
    steps=(
        cite(decode_attention_flops, "the operations"),
        divide(decode_attention_bytes, decode_attention_flops.rhs / decode_attention_bytes.rhs, "for each byte"),
        rewrite(CLAIM, "with the common factors drawn out"),
    ),
    measured_by="query.intensity",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096, "dtype": "fp16"},
)
