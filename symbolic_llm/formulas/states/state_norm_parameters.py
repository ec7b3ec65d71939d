"""Weights of a norm over the values of all heads

Mamba-2 norms what its heads give together, so each number of each head has a weight of its own.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_state_norm, d_state_value, n_state_heads
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_state_norm, each_weight * n_state_heads * d_state_value),
    steps=(premise(each_weight * n_state_heads * d_state_value, "one for each number of a head's value"),),
    measured_by="weights.of_state_norm",
    sources=("dao-2024",),
    example={"model": "nemotron-3-nano-30b-a3b"},
)
