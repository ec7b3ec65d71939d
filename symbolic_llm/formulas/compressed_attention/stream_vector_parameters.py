"""Weights beside the matrices that mix residual streams

A bias for each weight that such a matrix makes, and a scale for each kind: three before a layer, one at the end.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, in_and_back, layers_in_block
from symbolic_llm.notation import P_mixing, n_blocks, n_streams
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

three_scales = count(3, "scales: of what goes in, of the result, of the mixture")
ONE = each_weight * (in_and_back * n_streams + n_streams**2 + three_scales)
LAYERS = layers_in_block * n_blocks * ONE
LAST = each_weight * (n_streams + 1)

FORMULA = Formula(
    __name__,
    claim=Eq(P_mixing, LAYERS + LAST),
    steps=(
        premise(ONE, "before one layer", measured_by="weights.beside_streams[*.blocks.0.mixing_1*]"),
        multiply(
            layers_in_block * n_blocks,
            LAYERS,
            "before both layers of each block",
            measured_by="weights.beside_streams[*.blocks.*]",
        ),
        add(LAST, CLAIM, "a bias for each stream and a scale at the end"),
    ),
    measured_by="weights.beside_streams",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
