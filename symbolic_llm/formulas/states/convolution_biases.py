"""Biases of a short convolution"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, d_state_key, d_state_value, n_state_groups, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

keys_and_queries = count(2, "vectors of a group: keys and queries")
SHARED = each_weight * keys_and_queries * n_state_groups * d_state_key
VALUES = each_weight * n_state_heads * d_state_value

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, SHARED + VALUES),
    steps=(premise(SHARED + VALUES, "one for each number of a group's key and query, and of a head's value"),),
    measured_by="weights.of_taps_biases",
    sources=("dao-2024",),
    example={"model": "nemotron-3-nano-30b-a3b"},
)
