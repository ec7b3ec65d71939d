"""Arithmetic intensity of a matrix product

Operations for each byte that is read. For a matrix of any shape it is twice the columns that it meets, the tokens of a
batch or the queries that share a key, over the bytes of one of its numbers. Below the ridge point of a machine the
product waits for memory.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.matrix_matrix_flops import FORMULA as matrix_matrix_flops
from symbolic_llm.formulas.memory.product_bytes import FORMULA as product_bytes
from symbolic_llm.notation import C_matrix, D_matrix, I_matrix
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_matrix, C_matrix / D_matrix),
    uses=(matrix_matrix_flops, product_bytes),
    steps=(
        premise(C_matrix, "what is computed", measured_by="product.matrices"),
        divide(D_matrix, CLAIM, "over what is read for it", measured_by="product.bytes"),
    ),
    measured_by="product.intensity",
    sources=("williams-2009",),
    example={"m": 4096, "n": 4096, "k": 16, "dtype": "fp16"},
)
