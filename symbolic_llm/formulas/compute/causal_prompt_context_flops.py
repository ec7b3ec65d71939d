"""Attention operations of a prompt's token that skips the future

A token attends to those before it and to itself: half of the scores, and the diagonal. This is what generating the
same tokens one by one takes, and what attention kernels of servers do, which compute no tile that is masked. It is the
mean over all tokens of the prompt.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prompt_context_flops import FORMULA as prompt_context_flops
from symbolic_llm.formulas.heads.prompt_attention_flops import FORMULA as prompt_attention_flops
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import C_prompt, N, a_prompt
from symbolic_llm.steps import CLAIM, cite, subtract
from symbolic_llm.unevaluated import Eq

MASKED = a_prompt * (N - one_token) / 2

FORMULA = Formula(
    __name__,
    claim=Eq(C_prompt, a_prompt * (N + one_token) / 2),
    models=(Trait.FULL,),
    uses=(prompt_context_flops, prompt_attention_flops),
    steps=(
        cite(prompt_context_flops, "with every token, those after it too"),
        subtract(
            MASKED,
            CLAIM,
            "without those after it, of which the first has N - 1 and the last has none",
            measured_by="prefill.masked_flops_of_a_sequence",
        ),
    ),
    measured_by="prefill.causal_flops_of_a_sequence",
    example={"model": "llama-3-8b", "N": 512},
)
