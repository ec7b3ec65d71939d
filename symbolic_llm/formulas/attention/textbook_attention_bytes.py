"""Bytes moved by textbook attention

Line by line: load Q and K, store S; load S, store A; load A and V, store O.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import D_textbook, N, d, n_bytes_act
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

NARROW = N * d * each_value * n_bytes_act  # one of Q, K, V, O
SQUARE = N**2 * each_value * n_bytes_act  # one of S, A

FORMULA = Formula(
    __name__,
    claim=Eq(D_textbook, 4 * SQUARE + 4 * NARROW),
    plain=(N,),
    steps=(
        premise(2 * NARROW, "line 1 loads Q and K", measured_by="textbook.loaded[line_1]"),
        add(SQUARE, SQUARE + 2 * NARROW, "line 1 stores S", measured_by="textbook.stored[line_1]"),
        add(SQUARE, 2 * SQUARE + 2 * NARROW, "line 2 loads S", measured_by="textbook.loaded[line_2]"),
        add(SQUARE, 3 * SQUARE + 2 * NARROW, "line 2 stores A", measured_by="textbook.stored[line_2]"),
        add(
            SQUARE + NARROW,
            4 * SQUARE + 3 * NARROW,
            "line 3 loads A and V",
            measured_by="textbook.loaded[line_3]",
        ),
        add(NARROW, CLAIM, "line 3 stores O", measured_by="textbook.stored[line_3]"),
    ),
    measured_by="textbook.bytes",
    sources=("baseten-2023", "dao-2022"),
    example={"model": "llama-2-7b", "N": 4096, "dtype": "fp16"},
)
