"""Weights of the vectors of Mamba-2"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_vectors, d_state_value, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

of_heads = count(3, "numbers of a head: its rate, the bias of its step, what goes past its state")

HEADS = each_weight * of_heads * n_state_heads
NORM = each_weight * n_state_heads * d_state_value

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_vectors, HEADS + NORM),
    steps=(
        premise(HEADS, "how fast each head forgets", measured_by="weights.of_mamba_vectors[*decay*, *shift*, *pass*]"),
        add(NORM, HEADS + NORM, "a norm over the values of all heads"),
    ),
    measured_by="weights.of_mamba_vectors",
    sources=("dao-2024",),
    example={"model": "nemotron-3-nano-30b-a3b"},
)
