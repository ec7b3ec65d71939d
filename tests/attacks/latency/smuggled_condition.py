"""The arithmetic's time, where attention does six times as much as the matrices

False: T_compute leaves attention out, and the condition brings it in by a letter that the clock knows nothing of.
"""

from sympy import Eq

from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_product_flops import FORMULA as decode_product_flops
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_decode, F, P, T_compute
from symbolic_llm.steps import cite, divide

fourteen = Condition(
    Eq(7 * multiply_add * P * B * one_token, C_decode, evaluate=False), "each weight takes fourteen operations"
)

FORMULA = Formula(
    __name__,
    claim=Eq(T_compute, decode_product_flops.rhs / F),
    kind=Kind.LAW,
    where=(fourteen,),
    uses=(decode_product_flops,),
    steps=(
        cite(decode_product_flops, "the operations"),
        divide(F, decode_product_flops.rhs / F, "at peak arithmetic"),
    ),
    unmeasured="no such machine exists",
    example={"P": 7, "B": 1, "C_seq": 84, "F": 1},
)
