"""The stable softmax of one head takes all that is not a product

False: norms, activations and additions of a whole decoder are no softmax of one head. Two formulas for C_decode are
subtracted, and neither counts C_softmax.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_flops import FORMULA as decode_flops
from symbolic_llm.formulas.compute.decode_product_flops import FORMULA as decode_product_flops
from symbolic_llm.notation import C_softmax
from symbolic_llm.steps import cite, subtract

REST = decode_flops.rhs - decode_product_flops.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(C_softmax, REST),
    kind=Kind.LAW,
    uses=(decode_flops, decode_product_flops),
    steps=(cite(decode_flops, "every operation"), subtract(decode_product_flops, REST, "but the products")),
    unmeasured="it follows from both",
    example={"model": "llama-2-7b", "B": 1, "N": 100},
)
