"""Memory time, with a theorem put in

Meaningless: a theorem has no value that could stand for a letter.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.memory_bound_batches import FORMULA as memory_bound_batches
from symbolic_llm.notation import P, T_memory, W, n_bytes
from symbolic_llm.steps import premise, substitute

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory, P * n_bytes / W),
    kind=Kind.LAW,
    uses=(memory_bound_batches,),
    steps=(
        premise(P * n_bytes / W, "the weights, at full bandwidth"),
        substitute(memory_bound_batches, P * n_bytes / W, "where reading takes longer"),
    ),
    measured_by="clock.memory_time",
    example={"P": 7, "n_bytes": 2, "W": 1},
)
