"""The busiest expert has at least the mean

However tokens are sent, the busiest expert gets at least the mean load, rounded up, and some way to send them gives no
expert more. So a load is enough for every expert exactly if it is at least the mean. Where experts lie on several
devices, a step waits for the busiest. An expert gets at most every token, which is E/k times the mean, since no token
is sent to one expert twice.
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
