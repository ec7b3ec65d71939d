"""Drafts that take too long never pay

If a draft model takes as large a share of a step's time as it gets tokens right, or a larger one, no draft is worth its
time, however long: γ tokens give α·γ at most and take γ times T_draft. That holds even where verification is free.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.speculation.speculative_tokens import FORMULA as speculative_tokens
from symbolic_llm.notation import T_draft, T_step, alpha, gamma, n_step
from symbolic_llm.steps import add, multiply, premise, weaken
from symbolic_llm.unevaluated import Le

SLOW = Le(alpha * T_step, T_draft)
STEP = T_step + gamma * T_draft / one_token

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Implication(SLOW, Le(n_step * T_step / one_token, STEP)),
    kind=Kind.THEOREM,
    where=(
        Condition(
            Le(n_step, one_token + alpha * gamma),
            "no drafted token is kept more often than it is accepted",
        ),
    ),
    models=(Trait.DENSE, Trait.FULL),
    uses=(speculative_tokens, latency_with_cache),
    steps=(
        premise(SLOW, "drafting a token takes no less of a step than the share that is accepted"),
        multiply(
            gamma / one_token,
            Le(alpha * gamma * T_step / one_token, gamma * T_draft / one_token),
            "for all tokens of a draft",
        ),
        add(
            T_step,
            Le(T_step + alpha * gamma * T_step / one_token, STEP),
            "and the pass that verifies them, which takes as long as a step at best",
        ),
        weaken(
            Le(n_step * T_step / one_token, STEP),
            "plain steps take no longer for as many tokens",
        ),
    ),
    measured_by="speculation.gains_nothing",
    sources=("leviathan-2023",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 4,
        "alpha": 0.1,
        "gamma": 4,
        "T_draft": "14 ms",
    },
)
