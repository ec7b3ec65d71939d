"""Operations of a matrix–matrix product

An m × n matrix times an n × k matrix.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.matrix_vector_flops import FORMULA as matrix_vector_flops
from symbolic_llm.notation import C_matrix, k
from symbolic_llm.steps import CLAIM, cite, multiply
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_matrix, matrix_vector_flops.rhs * k),
    uses=(matrix_vector_flops,),
    steps=(
        cite(matrix_vector_flops, "one column of the second matrix"),
        multiply(k, CLAIM, "for each column"),
    ),
    measured_by="product.matrices",
    sources=("kipply-2022",),
    example={"m": 4096, "n": 4096, "k": 512},
)
