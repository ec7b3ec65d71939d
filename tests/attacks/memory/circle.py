"""Bytes of the weights, from two definitions that define each other

Says nothing: P is P_total, and P_total is P, and neither has a value.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.p_is_p_total import FORMULA as p_is_p_total
from symbolic_llm.formulas.memory.p_total_is_p import FORMULA as p_total_is_p
from symbolic_llm.notation import M_weights, P, n_bytes
from symbolic_llm.steps import premise

FORMULA = Formula(
    __name__,
    claim=Eq(M_weights, P * n_bytes),
    uses=(p_is_p_total, p_total_is_p),
    steps=(premise(P * n_bytes, "all weights"),),
    measured_by="weights.bytes",
    example={"P": 7, "n_bytes": 2},
)
