"""Every weight is multiplied, by definition

False for decoders that store more than they multiply; and the engine counts P.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import P, P_total
from symbolic_llm.steps import premise

FORMULA = Formula(
    __name__,
    claim=Eq(P, P_total),
    kind=Kind.DEFINITION,
    steps=(premise(P_total, "so it is defined"),),
    unmeasured="a definition",
    example={"P_total": 7},
)
