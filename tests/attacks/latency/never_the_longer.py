"""A step where reading takes longer, or reading for each sequence

The second argument of the maximum never exceeds the first: it is a fiction that no count can tell apart.
"""

from sympy import Eq, Lt, Max

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import each_sequence, multiply_add, one_token
from symbolic_llm.notation import B, F, P, T_step, W, n_bytes
from symbolic_llm.steps import larger_of, premise

reading_is_slower = Condition(
    Lt(B * one_token * multiply_add * P * W, P * n_bytes * F, evaluate=False), "reading takes longer than computing"
)
TIME = P * n_bytes / W
SHARE = TIME * each_sequence / B

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, Max(TIME, SHARE, evaluate=False)),
    kind=Kind.LAW,
    where=(reading_is_slower,),
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(
        premise(TIME, "all weights, at full bandwidth", measured_by="clock.memory_time"),
        larger_of(SHARE, Max(TIME, SHARE, evaluate=False), "or a sequence's share of them"),
    ),
    measured_by="clock.step_time",
    example={"P": 7, "B": 1, "n_bytes": 2, "W": 1, "F": 4},
)
