"""Bytes moved by textbook attention for one query

Decoding computes one row: one query against all N keys and values. K and V are still loaded whole.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import D_query, N, d, n_bytes_act
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

NUMBER = each_value * n_bytes_act
ROW, MATRIX, VECTOR = N * NUMBER, N * d * NUMBER, d * NUMBER

FORMULA = Formula(
    __name__,
    claim=Eq(D_query, 2 * MATRIX + 4 * ROW + 2 * VECTOR),
    plain=(N,),
    steps=(
        premise(VECTOR + MATRIX, "line 1 loads one query and K", measured_by="query.loaded[line_1]"),
        add(ROW, MATRIX + ROW + VECTOR, "line 1 stores a row of S", measured_by="query.stored[line_1]"),
        add(ROW, MATRIX + 2 * ROW + VECTOR, "line 2 loads it", measured_by="query.loaded[line_2]"),
        add(ROW, MATRIX + 3 * ROW + VECTOR, "line 2 stores a row of A", measured_by="query.stored[line_2]"),
        add(
            ROW + MATRIX,
            2 * MATRIX + 4 * ROW + VECTOR,
            "line 3 loads it and V",
            measured_by="query.loaded[line_3]",
        ),
        add(VECTOR, CLAIM, "line 3 stores one row of O", measured_by="query.stored[line_3]"),
    ),
    measured_by="query.bytes",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096, "dtype": "fp16"},
)
