"""Weights of an RMSNorm"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_norm, d_model
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_norm, each_weight * d_model),
    steps=(premise(each_weight * d_model, "one weight for each channel"),),
    measured_by="weights.of_norm",
    sources=("zhang-2019",),
    example={"model": "llama-3-8b"},
)
