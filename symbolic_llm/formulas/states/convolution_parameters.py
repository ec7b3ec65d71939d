"""Weights of a short convolution

Each channel is mixed with what it was for the tokens just before. In a block with a state the channels are the numbers
of keys, queries and values.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_taps, d_conv, n_kernel
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_taps, n_kernel * each_weight * d_conv),
    steps=(
        premise(each_weight * d_conv, "one for each channel", measured_by="weights.of_taps(n_kernel=1)"),
        multiply(n_kernel, CLAIM, "each is a sum of so many inputs, with a weight for each"),
    ),
    measured_by="weights.of_taps",
    sources=("dao-2024",),
    example={"model": "qwen3-next-80b-a3b"},
)
