"""Exactly two operations for each weight

False: two operations are an approximation, and this says that they are all.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.notation import C_token
from symbolic_llm.steps import cite

FORMULA = Formula(
    __name__,
    claim=Eq(C_token, flops_per_token.rhs),
    kind=Kind.LAW,
    uses=(flops_per_token,),
    steps=(cite(flops_per_token, "two operations"),),
    unmeasured="it follows from flops_per_token",
    example={"P": 7},
)
