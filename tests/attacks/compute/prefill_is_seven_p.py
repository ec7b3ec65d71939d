"""A prefill takes seven operations for each weight and sequence

False twice: the value is a false definition's, and that is for another letter.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_is_seven_p import FORMULA as decode_is_seven_p
from symbolic_llm.notation import C_prefill
from symbolic_llm.steps import cite

FORMULA = Formula(
    __name__,
    claim=Eq(C_prefill, decode_is_seven_p.rhs),
    uses=(decode_is_seven_p,),
    steps=(cite(decode_is_seven_p, "the operations"),),
    unmeasured="it follows from decode_is_seven_p",
    example={"P": 7000000000, "B": 1},
)
