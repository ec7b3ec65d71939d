"""The busiest expert has at least the mean

Tokens can be sent so that no expert gets more than a load exactly where the mean is no more than that. So the busiest
expert is never below the mean, rounded up, and where experts lie on several devices a step waits for it. It is at most
every token, since no token is sent to one expert twice: E/k times the mean.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.sequences_per_expert import FORMULA as sequences_per_expert
from symbolic_llm.notation import B, n_active, n_experts, n_load
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Le

ENOUGH = Le(B * n_active, n_load * n_experts)

FORMULA = Formula(
    __name__,
    claim=Equivalence(ENOUGH, Le(sequences_per_expert.rhs, n_load)),
    kind=Kind.THEOREM,
    models=(Trait.EXPERTS,),
    uses=(sequences_per_expert,),
    steps=(
        premise(ENOUGH, "the experts have places for all tokens, each in as many of them as it picks"),
        divide(n_experts, CLAIM, "for each expert"),
    ),
    measured_by="experts.can_be_balanced",
    sources=("deepseek-v3-2024",),
    example={"model": "deepseek-v3", "B": 128, "n_load": 4},
)
