"""On-chip memory of tiled attention

Of a tile of queries the chip holds the queries, their scores with one tile of keys and, for each query, the largest
score, the sum of exponentials and the weighted sum of values; beside these a tile of keys, whose place values take.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import M_tile, b_k, b_q, d, n_bytes_act
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

NUMBER = each_value * n_bytes_act
ROWS = 2 * b_q * (d + 1)  # queries and weighted sums; two numbers for each softmax

FORMULA = Formula(
    __name__,
    claim=Eq(M_tile, (ROWS + b_q * b_k + b_k * d) * NUMBER),
    steps=(
        premise(
            ROWS * NUMBER,
            "queries and their weighted sums, a largest score and a sum for each",
            measured_by="tiled.on_chip[chip.queries, chip.sums, chip.peaks, chip.norms]",
        ),
        add(
            b_q * b_k * NUMBER,
            (ROWS + b_q * b_k) * NUMBER,
            "scores, which exponentials replace",
            measured_by="tiled.on_chip[chip.scores]",
        ),
        add(
            b_k * d * NUMBER,
            CLAIM,
            "a tile of keys, which values replace",
            measured_by="tiled.on_chip[chip.keys or values]",
        ),
    ),
    measured_by="tiled.on_chip",
    sources=("dao-2022",),
    example={"model": "llama-2-7b", "b_q": 128, "b_k": 64, "dtype": "fp16"},
)
