"""What is smaller stays smaller when the larger grows

True and empty: it holds of any three numbers and says nothing about batches, whatever is given.
"""

from sympy import Lt

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import T_compute, T_memory
from symbolic_llm.steps import add_to_larger, premise

GIVEN = Lt(T_memory, T_compute, evaluate=False)
THEN = Lt(T_memory, T_compute + T_memory, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(GIVEN, THEN),
    kind=Kind.THEOREM,
    steps=(premise(GIVEN, "reading is quicker"), add_to_larger(T_memory, THEN, "and one reading more")),
    unmeasured="it holds of any numbers",
    example={"T_memory": 7, "T_compute": 8},
)
