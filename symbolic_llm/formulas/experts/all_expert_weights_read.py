"""Weights that a pass reads which uses every expert

A batch of a few dozen tokens is likely to.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import FORMULA as mixtral_multiplied_parameters
from symbolic_llm.formulas.shared import picked_from_all
from symbolic_llm.notation import P, P_all, P_expert, n_active, n_experts, n_moe
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

MORE = n_moe * (n_experts - n_active) * P_expert

FORMULA = Formula(
    __name__,
    claim=Eq(P_all, P + MORE),
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    uses=(mixtral_multiplied_parameters, expert_parameters),
    steps=(
        premise(P, "what one token is multiplied with", measured_by="experts/weights.multiplied"),
        add(MORE, CLAIM, "the experts that it does not pick, in every block that has experts"),
    ),
    measured_by="weights.read_by_all_experts",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b"},
)
