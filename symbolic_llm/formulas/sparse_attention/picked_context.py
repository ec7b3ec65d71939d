"""Context that attention reads

All of it while it is no longer than what an index picks; from then on no more than that.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.notation import N, N_picked, n_picked
from symbolic_llm.steps import CLAIM, premise, smaller_of
from symbolic_llm.unevaluated import Eq, Min

FORMULA = Formula(
    __name__,
    claim=Eq(N_picked, Min(N, n_picked)),
    models=(Trait.PICKED,),
    steps=(
        premise(N, "the tokens there are", measured_by="index.picked_context(picked=100)"),
        smaller_of(n_picked, CLAIM, "or those that an index picks, if they are fewer"),
    ),
    measured_by="index.picked_context",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "N": 4096},
)
