"""A prefill takes as many operations as one decoding step

False: a prefill works on every token of the prompt. The cited formula is for another letter.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_product_flops import FORMULA as decode_product_flops
from symbolic_llm.notation import C_prefill
from symbolic_llm.steps import cite

FORMULA = Formula(
    __name__,
    claim=Eq(C_prefill, decode_product_flops.rhs),
    kind=Kind.LAW,
    uses=(decode_product_flops,),
    steps=(cite(decode_product_flops, "the operations"),),
    unmeasured="it follows from decode_product_flops",
    example={"model": "llama-2-7b", "B": 1, "N": 100},
)
