"""Sequences of a batch for each expert

The average over all experts, however tokens are sent. Only so many sequences share one reading of an expert's matrices,
so the batch that makes them compute-bound is E/k times that of a dense model.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import picked_from_all
from symbolic_llm.notation import B, B_expert, n_active, n_experts
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(B_expert, B * n_active / n_experts),
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    steps=(
        premise(B * n_active, "each sequence's token goes to so many", measured_by="experts.tokens"),
        divide(n_experts, CLAIM, "of all there are"),
    ),
    measured_by="experts.tokens_of_each",
    sources=("jiang-2024",),
    example={"model": "deepseek-v3", "B": 128},
)
