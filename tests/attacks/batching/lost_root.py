"""The batch whose square is sixteen is four

The square has two roots. The rule is for equations of first degree, and this is none.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B
from symbolic_llm.steps import premise, solve_for

SQUARE = Eq(B**2, 16 * each_sequence**2, evaluate=False)
ROOT = Eq(B, 4 * each_sequence, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=ROOT,
    kind=Kind.LAW,
    steps=(premise(SQUARE, "the square"), solve_for(B, ROOT, "its root")),
    unmeasured="a choice",
    example={"B": 4},
)
