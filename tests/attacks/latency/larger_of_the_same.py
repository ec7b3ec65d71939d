"""The longer of memory time and memory time

True and empty: both are the same, once with a numeral of one. A maximum has to compare two things.
"""

from sympy import Eq, Max

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, T_memory, W, n_bytes
from symbolic_llm.numeral import count
from symbolic_llm.steps import larger_of, premise

TIME = P * n_bytes / W
SAME = count(1, "just one") * P * n_bytes / W

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory, Max(TIME, SAME, evaluate=False)),
    kind=Kind.LAW,
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(
        premise(TIME, "all weights, at full bandwidth", measured_by="clock.memory_time"),
        larger_of(SAME, Max(TIME, SAME, evaluate=False), "or the same again"),
    ),
    measured_by="clock.memory_time",
    example={"P": 7, "n_bytes": 2, "W": 1},
)
