"""Weights of a vector

A norm has a weight for each number that it scales, and a LayerNorm a bias for each besides. A matrix may have a bias
for each of its outputs, a router a scale for each expert, attention a sink for each head. Each of these is a vector, as
long as what it meets. This counts one that meets a token; any other has its own length in the place of d_model.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_vector, d_model
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_vector, each_weight * d_model),
    steps=(premise(each_weight * d_model, "one weight for each number that it meets"),),
    measured_by="weights.of_norm",
    sources=("zhang-2019",),
    example={"model": "llama-3-8b"},
)
