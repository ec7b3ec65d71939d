"""Weights of the norm of an index's keys"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_norm, d_index
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

weight_and_bias = count(2, "vectors: a weight and a bias")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_norm, weight_and_bias * each_weight * d_index),
    models=(Trait.PICKED,),
    steps=(
        premise(each_weight * d_index, "a weight for each number", measured_by="weights.of_index_norm[*.weight]"),
        multiply(
            weight_and_bias,
            weight_and_bias * each_weight * d_index,
            "and a bias: it is a LayerNorm, where the decoder's other norms are RMSNorms",
        ),
    ),
    measured_by="weights.of_index_norm",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2"},
)
