"""When one more drafted token pays

While verification is free, a step takes T_step and the time of its draft. A longer draft gives a token more with
probability α to the power γ + 1, and takes T_draft longer. It pays exactly while it gives more for its time than the
step gives without it. What it gives falls with γ, so the best draft length is the first at which one more does not pay.
With γ = 0 the first token pays exactly if T_draft is below α·T_step: where it is not, no draft pays, however long.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.speculation.speculative_tokens import FORMULA as speculative_tokens
from symbolic_llm.notation import T_draft, T_step, alpha, gamma
from symbolic_llm.steps import CLAIM, premise, rewrite, subtract
from symbolic_llm.unevaluated import Lt

TOKENS = speculative_tokens.rhs
LONGER = TOKENS.xreplace({gamma: gamma + one_token})
NOW, THEN = T_step + gamma * T_draft / one_token, T_step + (gamma + one_token) * T_draft / one_token
FASTER = Lt(THEN * TOKENS, NOW * LONGER)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FASTER, Lt(T_draft * TOKENS, NOW * one_token * alpha ** (gamma / one_token + 1))),
    kind=Kind.THEOREM,
    models=(Trait.DENSE, Trait.FULL),
    uses=(speculative_tokens, latency_with_cache),
    steps=(
        premise(FASTER, "a token takes less time with the longer draft: T′/n′ < T/n, multiplied out"),
        subtract(
            NOW * TOKENS,
            Lt(T_draft * TOKENS, NOW * (LONGER - TOKENS)),
            "what both drafts have in common",
        ),
        rewrite(CLAIM, "the longer draft gives its last token if all before it are accepted and it is"),
    ),
    measured_by="speculation.gains_by_one_more",
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
