"""Weights of the vectors of Mamba-2 without a norm

Falcon-H1 has no norm over the values of its heads.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_vectors, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

of_heads = count(3, "numbers of a head: its rate, the bias of its step, what goes past its state")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_vectors, of_heads * each_weight * n_state_heads),
    steps=(
        premise(
            each_weight * n_state_heads,
            "how fast each head forgets",
            measured_by="weights.of_mamba_heads[*decay*]",
        ),
        multiply(
            of_heads,
            of_heads * each_weight * n_state_heads,
            "and as many biases of its step, and of what goes past its state",
        ),
    ),
    measured_by="weights.of_mamba_heads",
    sources=("dao-2024",),
    example={"n_state_heads": 24},
)
