"""Twice the weights are fewer exactly when twice their bytes are

Says nothing: neither side is ever true.
"""

from sympy import Lt

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import P, n_bytes
from symbolic_llm.steps import multiply, premise

LEFT = Lt(2 * P, P, evaluate=False)
RIGHT = Lt(2 * P * n_bytes, P * n_bytes, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Equivalence(LEFT, RIGHT),
    kind=Kind.THEOREM,
    steps=(premise(LEFT, "fewer weights"), multiply(n_bytes, RIGHT, "fewer bytes")),
    unmeasured="no such model exists",
    example={"P": 7, "n_bytes": 2},
)
