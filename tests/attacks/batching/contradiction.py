"""More weights are fewer weights

False, and derived from two conditions that exclude each other.
"""

from sympy import Gt, Lt

from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import P, P_total, T_compute, T_memory
from symbolic_llm.steps import premise, rewrite

slower = Condition(Gt(T_memory, T_compute, evaluate=False), "reading takes longer")
quicker = Condition(Lt(T_memory, T_compute, evaluate=False), "computing takes longer")
LESS = Lt(P, P_total, evaluate=False)
MORE = Lt(P_total, P, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(LESS, MORE),
    kind=Kind.THEOREM,
    where=(slower, quicker),
    steps=(premise(LESS, "fewer"), rewrite(MORE, "more")),
    unmeasured="no such machine exists",
    example={"P": 7, "P_total": 8, "T_memory": 1, "T_compute": 1},
)
