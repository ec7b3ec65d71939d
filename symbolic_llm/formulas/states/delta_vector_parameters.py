"""Weights of the vectors of a gated delta rule"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_vectors, d_state_value, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

of_heads = count(2, "numbers of a head: its rate and the bias of its step")

HEADS = each_weight * of_heads * n_state_heads
NORM = each_weight * d_state_value

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_vectors, HEADS + NORM),
    steps=(
        premise(HEADS, "how fast each head forgets", measured_by="weights.of_delta_vectors[*decay*, *shift*]"),
        add(NORM, HEADS + NORM, "a norm that all heads share"),
    ),
    measured_by="weights.of_delta_vectors",
    sources=("yang-2024",),
    example={"model": "qwen3-next-80b-a3b"},
)
