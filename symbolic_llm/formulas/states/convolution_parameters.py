"""Weights of a short convolution

Each number of a key, query or value is mixed with those of the tokens just before.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_taps, d_state_key, d_state_value, n_kernel, n_state_groups, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

keys_and_queries = count(2, "vectors of a group: keys and queries")
CHANNELS = each_weight * (keys_and_queries * n_state_groups * d_state_key + n_state_heads * d_state_value)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_taps, n_kernel * CHANNELS),
    steps=(
        premise(
            CHANNELS,
            "keys and queries of the groups, values of the heads",
            measured_by="weights.of_taps(n_kernel=1)",
        ),
        multiply(n_kernel, n_kernel * CHANNELS, "each is a sum of so many inputs, with a weight for each"),
    ),
    measured_by="weights.of_taps",
    sources=("dao-2024",),
    example={"model": "qwen3-next-80b-a3b"},
)
