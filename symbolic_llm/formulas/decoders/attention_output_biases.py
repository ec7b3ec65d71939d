"""Biases of the attention output"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_model
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * d_model),
    steps=(premise(each_weight * d_model, "one for each channel of the model"),),
    measured_by="weights.of_attention_output_biases",
    sources=("transformers-count",),
    example={"model": "gpt2"},
)
