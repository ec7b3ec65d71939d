"""Time of a matrix product

One operation of a step by itself: it reads its matrix while it computes, and the longer of the two counts. A step whose
operations come one after the other, without overlap between them, takes the sum of these times.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.matrix_matrix_flops import FORMULA as matrix_matrix_flops
from symbolic_llm.formulas.memory.product_bytes import FORMULA as product_bytes
from symbolic_llm.notation import C_matrix, D_matrix, F, T_matrix, W
from symbolic_llm.steps import CLAIM, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

FORMULA = Formula(
    __name__,
    claim=Eq(T_matrix, Max(C_matrix / F, D_matrix / W)),
    kind=Kind.LAW,
    uses=(matrix_matrix_flops, product_bytes),
    steps=(
        premise(C_matrix / F, "what is computed, at peak arithmetic", measured_by="product.compute_time"),
        larger_of(D_matrix / W, CLAIM, "while it runs, the matrix is read"),
    ),
    measured_by="product.time",
    sources=("williams-2009",),
    example={"m": 4096, "n": 4096, "k": 16, "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
