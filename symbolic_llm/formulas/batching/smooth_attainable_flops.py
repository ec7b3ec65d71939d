"""Attainable arithmetic with a smooth corner

The roofline takes reading and arithmetic to overlap in full. Where they overlap in part, a product takes the root of
the sum of the squares of both times, √((C/F)² + (D/W)²): the longer of the two far from the ridge point, and √2 times
it there, where both are as long. So many operations a second are left, for no machine more than the roofline and for
none less than it over √2. That it is squares is not derived: of all powers, those near two fit measured products best.
"""

from symbolic_llm.algebra import Integer, sqrt
from symbolic_llm.claims import Approximation, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.attainable_flops import FORMULA as attainable_flops
from symbolic_llm.formulas.batching.product_intensity import FORMULA as product_intensity
from symbolic_llm.notation import F, F_matrix, I_matrix, W
from symbolic_llm.steps import CLAIM, at_most, premise

EXACT = attainable_flops.rhs
VALUE = F / sqrt(1 + (F / (I_matrix * W)) ** 2)

FORMULA = Formula(
    __name__,
    claim=Approximation(F_matrix, VALUE, exact=EXACT, bound=1 - 1 / sqrt(Integer(2))),
    kind=Kind.APPROXIMATION,
    uses=(attainable_flops, product_intensity),
    steps=(
        premise((EXACT - VALUE) / EXACT, "the relative error, with the roofline as the exact value"),
        at_most(CLAIM, "the root of the sum of two squares is at most √2 times the larger number"),
    ),
    measured_by="product.rate",
    example=attainable_flops.example,
)
