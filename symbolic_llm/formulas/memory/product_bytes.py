"""Bytes that a matrix product reads

The first matrix, weights or the keys of a cache, lies in memory and is read once, however many columns the second has.
These come from the chip: they are the tokens that are multiplied with the weights, or the queries that meet the keys.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import D_matrix, m, n, n_bytes
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_matrix, each_weight * m * n * n_bytes),
    steps=(
        premise(each_weight * n * n_bytes, "one row of the matrix", measured_by="product.bytes(m=1)"),
        multiply(m, CLAIM, "each row is read once"),
    ),
    measured_by="product.bytes",
    example={"m": 4096, "n": 4096, "dtype": "fp16"},
)
