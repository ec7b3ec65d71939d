"""Weights that a batch reads from a mixture of experts

With one sequence a step reads what it multiplies. With more of them it reads more experts, up to all, while each
token is still multiplied with as few: batching pays later than for a dense model. The number is an expectation, over
routings that are all as likely as each other.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.distinct_experts import FORMULA as distinct_experts
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import FORMULA as mixtral_multiplied_parameters
from symbolic_llm.notation import P, P_expert, P_read, n_active, n_distinct, n_moe
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

MORE = n_moe * (n_distinct - n_active) * P_expert

FORMULA = Formula(
    __name__,
    claim=Eq(P_read, P + MORE),
    kind=Kind.LAW,
    models=(Trait.EXPERTS,),
    uses=(mixtral_multiplied_parameters, expert_parameters, distinct_experts),
    steps=(
        premise(P, "what one token is multiplied with", measured_by="experts/weights.multiplied"),
        add(MORE, CLAIM, "the experts that only other tokens pick, in every block that has experts"),
    ),
    measured_by="weights.read",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "B": 8},
)
