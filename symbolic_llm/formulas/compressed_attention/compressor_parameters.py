"""Weights of a compressor

Heavily compressed attention makes an entry of each run: the weighed sum of what one matrix gives of its tokens. Another
matrix gives the weights, number by number.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, numbers_and_weights
from symbolic_llm.notation import P_compressor, d_head, d_model
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE = each_weight * d_model * d_head

FORMULA = Formula(
    __name__,
    claim=Eq(P_compressor, numbers_and_weights * ONE),
    steps=(
        premise(ONE, "numbers of a token, as many as its vector has", measured_by="weights.of_compressor[*_values]"),
        multiply(numbers_and_weights, CLAIM, "and a weight for each of them"),
    ),
    measured_by="weights.of_compressor",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
