"""Attention operations of a prompt's token for each token of its context

The same as for a new token that is decoded.
"""

from symbolic_llm.architecture import CACHED, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.notation import a, a_prompt
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(a_prompt, a),
    models=(Trait.GROUPED, Trait.UNEQUAL, *CACHED),
    uses=(attention_flops_per_context_token,),
    steps=(premise(a, "its queries meet the same keys", measured_by="attention.flops_per_pair"),),
    measured_by="attention.flops_per_pair",
    example={"model": "llama-2-7b"},
)
