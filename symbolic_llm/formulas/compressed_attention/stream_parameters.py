"""Weights that mix residual streams

Before each of a block's two layers one matrix makes, of all streams side by side, a weight for each stream that goes
into the layer, one for each that its result is added to, and one for each pair of streams that are mixed. After the
last block a matrix makes the weights of their sum.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, in_and_back, layers_in_block
from symbolic_llm.notation import P_streams, d_streams, n_blocks, n_streams
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

WIDE = each_weight * d_streams
ONE = (in_and_back * n_streams + n_streams**2) * WIDE
LAYERS = layers_in_block * n_blocks * ONE
LAST = n_streams * WIDE

FORMULA = Formula(
    __name__,
    claim=Eq(P_streams, LAYERS + LAST),
    steps=(
        premise(ONE, "before one layer", measured_by="weights.of_streams[*.blocks.0.mixing_1]"),
        multiply(
            layers_in_block * n_blocks,
            LAYERS,
            "before both layers of each block",
            measured_by="weights.of_streams[*.blocks.*]",
        ),
        add(LAST, CLAIM, "the sum after the last block"),
    ),
    measured_by="weights.of_streams",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
