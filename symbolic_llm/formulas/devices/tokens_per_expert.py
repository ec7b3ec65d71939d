"""Tokens that come to an expert

Each token of a step is sent to k of E experts, so each expert gets so many in the mean, if they are picked equally
often. An expert that gets few is read for few: only a large batch makes good use of it, wherever it is.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, n_active, n_expert_tokens, n_experts
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(n_expert_tokens, B * one_token * n_active / n_experts),
    models=(Trait.EXPERTS,),
    steps=(premise(B * one_token * n_active / n_experts, "what all tokens pick, for each of the experts"),),
    measured_by="experts.tokens_of_an_expert",
    example={"model": "deepseek-v2", "B": 128},
)
