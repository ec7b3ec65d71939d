"""Weights that lead down to the latent vector

And to the rotated part of the key. All heads share both, so that devices which share the heads have this matrix whole.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_down, d_latent, d_model, d_rope
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

DOWN = each_weight * d_model * (d_latent + d_rope)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_down, DOWN),
    steps=(premise(DOWN, "a row for each number of the latent vector and of the rotated part"),),
    measured_by="weights.of_latent_down",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2-lite"},
)
