"""An inequality divided by what may be negative

False where fewer weights are multiplied than are stored: then the inequality turns round.
"""

from sympy import Lt

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import P, P_total, T_compute, T_memory
from symbolic_llm.steps import divide, premise

SHORTER = Lt(T_memory, T_compute, evaluate=False)
DIVIDED = Lt(T_memory / (P - P_total), T_compute / (P - P_total), evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(SHORTER, DIVIDED),
    kind=Kind.THEOREM,
    steps=(premise(SHORTER, "reading is quicker"), divide(P - P_total, DIVIDED, "for each weight")),
    unmeasured="nothing measures it",
    example={"P": 8, "P_total": 7, "T_memory": 1, "T_compute": 2},
)
