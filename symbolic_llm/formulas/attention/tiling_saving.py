"""When tiling moves fewer bytes

A tile of half as many queries as a head is wide is enough, at any length of the sequence.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_bytes import NARROW
from symbolic_llm.formulas.attention.tiled_attention_bytes import FORMULA as tiled_attention_bytes
from symbolic_llm.notation import N, b_q, d
from symbolic_llm.steps import add, add_to_larger, multiply, premise
from symbolic_llm.unevaluated import Ge, Gt, Lt

GIVEN = Ge(b_q, d / 2)
THEN = Lt(tiled_attention_bytes.rhs, textbook_attention_bytes.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Implication(GIVEN, THEN),
    kind=Kind.THEOREM,
    plain=(N,),
    uses=(tiled_attention_bytes, textbook_attention_bytes),
    steps=(
        premise(GIVEN, "tiles of at least half the width of a head"),
        multiply(2 * N / b_q, Ge(2 * N, N * d / b_q), "by 2N/b"),
        add_to_larger(d, Gt(2 * N + d, N * d / b_q), "d more on the larger side"),
        add(d, Gt(2 * N + 2 * d, d + N * d / b_q), "d more on both"),
        multiply(2 * NARROW / d, THEN, "by the bytes of two columns of N numbers"),
    ),
    measured_by="tiled.saves",
    sources=("dao-2022",),
    example={"model": "llama-2-7b", "dtype": "fp16", "N": 4096, "b_q": 64},
)
