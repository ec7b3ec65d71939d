"""Weights of an activation

Apertus learns how steep its activation is, in each MLP once above zero and once below.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_slopes
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

sides = count(2, "sides of zero")

FORMULA = Formula(
    __name__,
    claim=Eq(P_slopes, sides * each_weight),
    steps=(premise(sides * each_weight, "one number for each side of zero"),),
    measured_by="weights.of_slopes",
    sources=("transformers-count",),
    example={},
)
