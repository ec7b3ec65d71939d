"""Tokens of a step with a draft

Each drafted token is accepted with probability α, independently of the others; the first that is not is replaced by one
of the verifying model, and if all are accepted, that model gives one more. So a step gives one token at least, and all
γ of the draft and the bonus token at most, which is what it tends to as α tends to 1.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token, some_drafts_are_rejected
from symbolic_llm.notation import alpha, gamma, n_step
from symbolic_llm.steps import CLAIM, divide, multiply, premise
from symbolic_llm.unevaluated import Eq

REJECTED = 1 - alpha ** (gamma / one_token + 1)

FORMULA = Formula(
    __name__,
    claim=Eq(n_step, one_token * REJECTED / (1 - alpha)),
    kind=Kind.LAW,
    where=(some_drafts_are_rejected,),
    steps=(
        premise(
            REJECTED,
            "the probability that of the draft and one more token not all would be accepted",
            measured_by="speculation.share_rejected",
        ),
        divide(
            1 - alpha,
            REJECTED / (1 - alpha),
            "each token that comes is the last with probability 1 − α, and these add up to the same",
            measured_by="speculation.share_rejected(draft_length=0)",
        ),
        multiply(one_token, CLAIM, "tokens of each sequence"),
    ),
    measured_by="speculation.tokens",
    sources=("leviathan-2023",),
    example={"alpha": 0.8, "gamma": 4},
)
