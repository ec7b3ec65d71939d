"""The arithmetic's time, from seven operations for each weight

False: it cites a definition that is false. What is built on something unmeasured is no better than that.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.ridge_point import FORMULA as ridge_point
from symbolic_llm.formulas.compute.decode_is_seven_p import FORMULA as decode_is_seven_p
from symbolic_llm.notation import T_compute, W
from symbolic_llm.steps import cite, divide

TIME = decode_is_seven_p.rhs / ridge_point.rhs / W

FORMULA = Formula(
    __name__,
    claim=Eq(T_compute, TIME),
    uses=(decode_is_seven_p, ridge_point),
    steps=(
        cite(decode_is_seven_p, "the operations"),
        divide(ridge_point, decode_is_seven_p.rhs / ridge_point.rhs, "as bytes"),
        divide(W, TIME, "at full bandwidth"),
    ),
    unmeasured="it follows from decode_is_seven_p",
    example={"P": 7000000000, "B": 1, "F": 1, "W": 1},
)
