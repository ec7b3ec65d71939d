"""Four square matrices hold attention's weights, whatever the heads

False where the heads side by side are wider or narrower than the model; attention_parameters says so with a condition,
and this one has dropped it.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_model
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise

four = count(4, "matrices: query, key, value and output")

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, four * each_weight * d_model**2),
    steps=(
        premise(each_weight * d_model**2, "one matrix"),
        multiply(four, four * each_weight * d_model**2, "four of the same shape"),
    ),
    measured_by="schematic/weights.of_attention",
    example={"model": "qwen3-32b"},
)
