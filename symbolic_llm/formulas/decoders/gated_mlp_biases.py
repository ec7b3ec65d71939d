"""Biases of a gated MLP"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_ff, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

both = count(2, "matrices that widen: gate and up")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * (both * d_ff + d_model)),
    steps=(
        premise(
            each_weight * d_ff, "one for each channel of the wide side", measured_by="weights.of_mlp_biases[*.up.*]"
        ),
        multiply(
            both,
            both * each_weight * d_ff,
            "the gate has as many",
            measured_by="weights.of_mlp_biases[*.up.*, *.gate.*]",
        ),
        add(each_weight * d_model, each_weight * (both * d_ff + d_model), "and one for each channel of the model"),
    ),
    measured_by="weights.of_mlp_biases",
    sources=("transformers-count",),
    example={"d_model": 4096, "d_ff": 11008},
)
