"""An inequality whose sides are squared, one of them negative

False: −3 is less than 2, and 9 is not less than 4.
"""

from sympy import Lt

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import T_compute, T_memory, T_step
from symbolic_llm.steps import premise, rewrite

LEFT = Lt(T_memory - T_compute, T_step, evaluate=False)
RIGHT = Lt((T_memory - T_compute) ** 2, T_step**2, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(LEFT, RIGHT),
    kind=Kind.THEOREM,
    steps=(premise(LEFT, "the difference is shorter than a step"), rewrite(RIGHT, "squared")),
    unmeasured="nothing measures it",
    example={"T_memory": 1, "T_compute": 2, "T_step": 3},
)
