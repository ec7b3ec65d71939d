"""Speed-up by drafts

Tokens a second over those of plain decoding steps, for a batch. Drafting takes its own time for each token, and the
verification of a batch its arithmetic: the gain falls with the batch.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.speculation.speculative_tokens import FORMULA as speculative_tokens
from symbolic_llm.formulas.speculation.verification_time import FORMULA as verification_time
from symbolic_llm.notation import S_draft, T_draft, T_step, T_verify, gamma, n_step
from symbolic_llm.steps import CLAIM, divide, multiply, premise
from symbolic_llm.unevaluated import Eq

STEP = T_verify + gamma * T_draft / one_token

FORMULA = Formula(
    __name__,
    claim=Eq(S_draft, n_step * T_step / (one_token * STEP)),
    kind=Kind.LAW,
    models=(Trait.DENSE, Trait.FULL),
    uses=(speculative_tokens, latency_with_cache, verification_time),
    steps=(
        premise(T_step, "what a token of each sequence takes without drafts", measured_by="clock.step_time_with_cache"),
        divide(
            STEP,
            T_step / STEP,
            "over a step that drafts tokens one after the other and verifies them",
            measured_by="speculation.step_time",
        ),
        multiply(n_step / one_token, CLAIM, "and gives so many tokens"),
    ),
    measured_by="speculation.speed_up",
    sources=("leviathan-2023",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 4,
        "alpha": 0.8,
        "gamma": 4,
        "T_draft": "7 ms",
    },
)
