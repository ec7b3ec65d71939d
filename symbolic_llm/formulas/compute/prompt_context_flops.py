"""Attention operations of a prompt's token

If it meets every token of the prompt, those after it too, as dense products do whose masks hide them afterwards.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.prompt_attention_flops import FORMULA as prompt_attention_flops
from symbolic_llm.notation import C_prompt, N, a_prompt
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_prompt, a_prompt * N),
    models=CACHED,
    uses=(prompt_attention_flops,),
    steps=(
        premise(a_prompt, "with one token of the prompt", measured_by="attention.flops_per_pair"),
        multiply(N, CLAIM, "with all of them"),
    ),
    measured_by="prefill.flops_of_a_sequence",
    example={"model": "llama-2-7b", "N": 512},
)
