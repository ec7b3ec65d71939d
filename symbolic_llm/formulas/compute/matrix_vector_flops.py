"""Operations of a matrix–vector product

An m × n matrix times a vector, every sum started at zero. Starting each sum at its first product saves m additions; the
convention here is the usual one, 2mn.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import two_flop
from symbolic_llm.notation import C_vector, m, n
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_vector, two_flop * m * n),
    steps=(
        premise(two_flop * n, "one row times the vector: n products, each added to the sum", measured_by="product.row"),
        multiply(m, CLAIM, "for each row"),
    ),
    measured_by="product.matrix_and_vector",
    sources=("timbers-2023", "kipply-2022"),
    example={"m": 4096, "n": 4096},
)
