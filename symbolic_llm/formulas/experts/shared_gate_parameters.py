"""Weights of a shared expert's gate

Where the expert that every token is sent to is weighed as the others are: by one number, a product of the token with
a row of weights.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_gate, d_model
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_gate, each_weight * d_model),
    steps=(premise(each_weight * d_model, "one row, as long as a token's vector"),),
    measured_by="weights.of_shared_gate",
    sources=("qwen-moe-2024",),
    example={"d_model": 2048},
)
