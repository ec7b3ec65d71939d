"""Weights of learned positions

A vector for each position that a sequence may have. Rotary positions need none.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_positions, d_model, n_positions
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_positions, each_weight * n_positions * d_model),
    steps=(
        premise(each_weight * d_model, "the vector of one position", measured_by="weights.of_positions(n_positions=1)"),
        multiply(n_positions, each_weight * n_positions * d_model, "for every position"),
    ),
    measured_by="weights.of_positions",
    sources=("radford-2019",),
    example={"model": "gpt2"},
)
