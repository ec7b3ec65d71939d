"""A square of a sum with a root, multiplied out

True: (√h + 1)² is h + 2·√h + 1. As a definition, since nothing measures it.
"""

from sympy import Eq, sqrt

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_active, n_heads
from symbolic_llm.steps import premise, rewrite

SQUARE = each_weight * (sqrt(n_heads) + 1) ** 2
SUM = each_weight * (n_heads + 2 * sqrt(n_heads) + 1)

FORMULA = Formula(
    __name__,
    claim=Eq(P_active, SUM),
    kind=Kind.DEFINITION,
    steps=(premise(SQUARE, "so it is defined"), rewrite(SUM, "multiplied out")),
    unmeasured="a definition",
    example={"n_heads": 4},
)
