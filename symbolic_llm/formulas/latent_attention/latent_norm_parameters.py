"""Weights of the norm of latent vectors"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_norm, d_latent
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_norm, each_weight * d_latent),
    steps=(premise(each_weight * d_latent, "an RMSNorm, with one weight for each number"),),
    measured_by="weights.of_latent_norm",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2"},
)
