"""Arithmetic intensity of textbook attention

Operations for each byte moved, when all N queries are computed at once. That is a prefill: the articles use this
number for decoding, which has one query and an intensity near 1.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import I_textbook, N, d, n_bytes_act
from symbolic_llm.steps import CLAIM, cite, divide, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_textbook, N * (two_products * d + softmax) / (4 * each_value * n_bytes_act * (N + d))),
    plain=(N,),
    uses=(textbook_attention_flops, textbook_attention_bytes),
    steps=(
        cite(textbook_attention_flops, "the operations"),
        divide(textbook_attention_bytes, textbook_attention_flops.rhs / textbook_attention_bytes.rhs, "for each byte"),
        rewrite(CLAIM, "one N cancels"),
    ),
    measured_by="textbook.intensity",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096, "dtype": "fp16"},
)
