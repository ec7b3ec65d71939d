"""Reading is quicker in models of more than one block and fewer than two

Says nothing: no whole number lies between one and two.
"""

from sympy import Gt, Le, Lt

from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import T_compute, T_memory, n_blocks
from symbolic_llm.steps import add_to_larger, premise

more_than_one = Condition(Gt(n_blocks, 1, evaluate=False), "more than one block")
fewer_than_two = Condition(Lt(n_blocks, 2, evaluate=False), "fewer than two blocks")
GIVEN = Le(T_memory, T_compute, evaluate=False)
MORE = T_compute + (n_blocks - 1) * T_memory
THEN = Lt(T_memory, MORE + (2 - n_blocks) * T_compute, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(GIVEN, THEN),
    kind=Kind.THEOREM,
    where=(more_than_one, fewer_than_two),
    steps=(
        premise(GIVEN, "reading takes no longer"),
        add_to_larger((n_blocks - 1) * T_memory, Lt(T_memory, MORE, evaluate=False), "there is more than one block"),
        add_to_larger((2 - n_blocks) * T_compute, THEN, "and fewer than two"),
    ),
    unmeasured="no such model exists",
    example={"T_memory": 7, "n_blocks": 2, "T_compute": 8},
)
