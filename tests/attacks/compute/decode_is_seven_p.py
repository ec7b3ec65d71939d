"""Seven operations for each weight and token, by definition

False: a weight takes two. The engine counts the operations of a decoding step, so nothing here is open to definition.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_decode, P
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.units import FLOP, TOKEN, WEIGHT

seven = count(7, "operations for each weight and token", FLOP / (WEIGHT * TOKEN))

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, seven * P * B * one_token),
    kind=Kind.DEFINITION,
    steps=(premise(seven * P * B * one_token, "so it is defined"),),
    unmeasured="a definition",
    example={"P": 7000000000, "B": 1},
)
