"""Machines that hold the weights between them

True as a definition: the quotient of bytes and memory, rounded up.
"""

from sympy import Eq, ceiling

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import M, P_active, P_total, n_bytes
from symbolic_llm.steps import premise

FORMULA = Formula(
    __name__,
    claim=Eq(P_active, each_weight * ceiling(P_total * n_bytes / M)),
    kind=Kind.DEFINITION,
    steps=(premise(each_weight * ceiling(P_total * n_bytes / M), "so it is defined"),),
    unmeasured="a definition",
    example={"P_total": 7, "n_bytes": 2, "M": 3},
)
