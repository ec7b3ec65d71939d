"""The busiest expert has at most every token

No routing gives an expert more tokens than there are, since none is sent to it twice; one that sends all of them the
same way gives it just as many. Then the busiest expert has E/k times the mean.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.sequences_per_expert import FORMULA as sequences_per_expert
from symbolic_llm.notation import B, n_active, n_experts, n_load
from symbolic_llm.steps import multiply, premise
from symbolic_llm.unevaluated import Ge, Le

ALL = Le(B, n_load)
TIMES = Ge(n_load * n_active / n_experts, sequences_per_expert.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Equivalence(ALL, TIMES),
    kind=Kind.THEOREM,
    models=(Trait.EXPERTS,),
    uses=(sequences_per_expert,),
    steps=(
        premise(ALL, "an expert has a place for every token"),
        multiply(n_active / n_experts, TIMES, "and those are E/k times as many as it gets in the mean"),
    ),
    measured_by="experts.stay_balanced",
    sources=("deepseek-v3-2024",),
    example={"model": "deepseek-v3", "B": 128, "n_load": 128},
)
