"""A width by a quotient that has no value for one block

Wrong: the two sides of the rewriting differ where n_blocks is 1, and models of one block exist.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import d_embedding, d_model, n_blocks
from symbolic_llm.steps import premise, rewrite

QUOTIENT = d_model * (n_blocks**2 - 1) / (n_blocks - 1)

FORMULA = Formula(
    __name__,
    claim=Eq(d_embedding, d_model * (n_blocks + 1)),
    kind=Kind.DEFINITION,
    steps=(premise(QUOTIENT, "so it is defined"), rewrite(d_model * (n_blocks + 1), "cancelled")),
    unmeasured="a definition",
    example={"d_model": 7, "n_blocks": 2},
)
