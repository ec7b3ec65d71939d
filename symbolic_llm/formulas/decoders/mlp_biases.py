"""Biases of a plain MLP"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_ff, d_model
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * (d_ff + d_model)),
    steps=(
        premise(
            each_weight * d_ff,
            "one for each channel of the wide side",
            measured_by="gpt2/weights.of_mlp_biases[*.up.*]",
        ),
        add(each_weight * d_model, each_weight * (d_ff + d_model), "and one for each channel of the model"),
    ),
    measured_by="gpt2/weights.of_mlp_biases",
    sources=("transformers-count",),
    example={"model": "gpt2"},
)
