"""Bytes moved when the scaling is a pass of its own

Dividing the scores by √d is one operation each, but done as a separate line it loads and stores S once more: 12N² +
8Nd bytes at two bytes instead of 8N² + 8Nd.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_bytes import NARROW, SQUARE
from symbolic_llm.notation import D_scaled, N
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_scaled, 6 * SQUARE + 4 * NARROW),
    plain=(N,),
    uses=(textbook_attention_bytes,),
    steps=(
        cite(textbook_attention_bytes, "the three lines of the textbook"),
        add(SQUARE, 5 * SQUARE + 4 * NARROW, "the scaling loads S", measured_by="scaled.loaded[scaling]"),
        add(SQUARE, CLAIM, "and stores it again", measured_by="scaled.stored[scaling]"),
    ),
    measured_by="scaled.bytes",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096, "dtype": "fp16"},
)
