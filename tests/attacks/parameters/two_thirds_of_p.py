"""Two thirds of the weights, by definition

False: P counts all of them. As a definition it would give the engine's comparisons the letter P.
"""

from sympy import Eq, Rational

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.parameters.block_parameters import FORMULA as block_parameters
from symbolic_llm.formulas.parameters.total_parameters import BLOCKS
from symbolic_llm.notation import P
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise

two_thirds = count(Rational(2, 3), "share of the weights")

FORMULA = Formula(
    __name__,
    claim=Eq(P, two_thirds * (BLOCKS + embedding_parameters.rhs)),
    kind=Kind.DEFINITION,
    uses=(block_parameters, embedding_parameters),
    steps=(premise(two_thirds * (BLOCKS + embedding_parameters.rhs), "so it is defined"),),
    unmeasured="a definition",
    example={"model": "llama-7b"},
)
