"""Matrix products of a prefill that skips the future

A token attends only to those before it and to itself: half of the scores, and the diagonal. This is what generating the
same tokens one by one takes, and what an attention kernel can save that does not compute what is masked.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.prompt_attention_flops import FORMULA as prompt_attention_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_prefill, N, P, a_prompt, i_token
from symbolic_llm.steps import premise, sum_over
from symbolic_llm.unevaluated import Eq

PER_SEQUENCE = N * (multiply_add * P + a_prompt * (N + one_token) / 2)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * PER_SEQUENCE),
    models=(Trait.FULL,),
    uses=(total_parameters, prompt_attention_flops),
    steps=(
        premise(
            B * one_token * (multiply_add * P + a_prompt * i_token),
            "the i-th token of each sequence attends to i tokens",
        ),
        sum_over(i_token, N / one_token, B * PER_SEQUENCE, "over all tokens of a sequence"),
    ),
    measured_by="prefill.causal_product_flops",
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
