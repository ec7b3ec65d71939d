"""A pass that takes longer than its embedding is read takes longer than its weights are read

Says nothing: no decoder multiplies by fewer weights than its embedding holds, as its output matrix has as many. The
formulas that would say so are left out, so that letters alone can have such values.
"""

from sympy import Gt, Lt

from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, F, P, P_embedding, W, n_bytes
from symbolic_llm.steps import multiply, premise, weaken

small = Condition(Lt(P, P_embedding), "the model is small")
WORK = multiply_add * P * B * one_token / F
GIVEN = Gt(B, n_bytes * F * P_embedding / (multiply_add * one_token * W * P))
LONGER = Gt(WORK, P_embedding * n_bytes / W)
THEN = Gt(WORK, P * n_bytes / W)

FORMULA = Formula(
    __name__,
    claim=Implication(GIVEN, THEN),
    kind=Kind.THEOREM,
    where=(small,),
    steps=(
        premise(GIVEN, "the batch is large"),
        multiply(multiply_add * P * one_token / F, LONGER, "its arithmetic takes longer than that"),
        weaken(THEN, "and the weights are fewer"),
    ),
    unmeasured="it follows",
    example={"B": 300, "n_bytes": 2, "F": 312000, "W": 2, "P": 7, "P_embedding": 9},
)
