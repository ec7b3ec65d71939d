"""The weights are read once for each sequence

False: once for the whole batch. A numeral that takes the unit of the batch away hides it from the units.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import B, P, T_memory, W, n_bytes
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.units import ONE, SEQUENCE

plain_number = count(1, "just a number", ONE / SEQUENCE)

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory, plain_number * B * P * n_bytes / W),
    kind=Kind.DEFINITION,
    steps=(premise(plain_number * B * P * n_bytes / W, "so it is defined"),),
    unmeasured="a definition",
    example={"P": 7, "n_bytes": 2, "W": 1, "B": 3},
)
