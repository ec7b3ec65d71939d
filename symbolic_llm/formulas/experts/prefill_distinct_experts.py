"""Experts that a prefill is expected to use

As distinct_experts, with all tokens of all prompts in one pass: a prompt of a few dozen tokens is likely to use nearly
all of them.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_token, picked_from_all
from symbolic_llm.notation import B, N, n_active, n_distinct_prompt, n_experts
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

MISSED = (1 - n_active / n_experts) ** (B * N / each_token)

FORMULA = Formula(
    __name__,
    claim=Eq(n_distinct_prompt, n_experts * (1 - MISSED)),
    kind=Kind.LAW,
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    steps=(
        premise(
            1 - MISSED,
            "the probability that some token of the prompts picks a certain expert: not all of them miss it",
            measured_by="experts.share_used_by_a_prompt",
        ),
        multiply(n_experts, CLAIM, "every expert has the same, and expectations add up"),
    ),
    measured_by="experts.used_by_a_prompt",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "N": 16, "B": 1},
)
