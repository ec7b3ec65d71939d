"""Experts that a batch is expected to use

Each token picks k of E experts. If every choice is as likely as any other and tokens choose independently (uniform
routing), one token misses a certain expert with probability 1 − k/E, and all B tokens of a decoding step with the B-th
power of that. Routers are trained towards balance; where they fall short of it, fewer experts are used than this.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_sequence, picked_from_all
from symbolic_llm.notation import B, n_active, n_distinct, n_experts
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

MISSED = (1 - n_active / n_experts) ** (B / each_sequence)

FORMULA = Formula(
    __name__,
    claim=Eq(n_distinct, n_experts * (1 - MISSED)),
    kind=Kind.LAW,
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    steps=(
        premise(
            1 - MISSED,
            "the probability that some token of the batch picks a certain expert: not all of them miss it",
            measured_by="experts.share_used",
        ),
        multiply(n_experts, CLAIM, "every expert has the same, and expectations add up"),
    ),
    measured_by="experts.used",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "B": 8},
)
