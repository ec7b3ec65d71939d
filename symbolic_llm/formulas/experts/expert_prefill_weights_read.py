"""Weights that a prefill reads from a mixture of experts

All experts that some token of the prompts picks, expected over routings that are all as likely as each other.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import FORMULA as mixtral_multiplied_parameters
from symbolic_llm.formulas.experts.prefill_distinct_experts import FORMULA as prefill_distinct_experts
from symbolic_llm.notation import P, P_expert, P_prompt, n_active, n_distinct_prompt, n_moe
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

MORE = n_moe * (n_distinct_prompt - n_active) * P_expert

FORMULA = Formula(
    __name__,
    claim=Eq(P_prompt, P + MORE),
    kind=Kind.LAW,
    models=(Trait.EXPERTS,),
    uses=(mixtral_multiplied_parameters, expert_parameters, prefill_distinct_experts),
    steps=(
        premise(P, "what one token is multiplied with", measured_by="experts/weights.multiplied"),
        add(MORE, CLAIM, "the experts that only other tokens pick, in every block that has experts"),
    ),
    measured_by="weights.read_by_a_prompt",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "N": 16, "B": 1},
)
