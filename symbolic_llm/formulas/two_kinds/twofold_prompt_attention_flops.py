"""Attention operations of a prompt's token for each token of its context, where heads are of two kinds

The same as for a new token that is decoded.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.two_kinds.twofold_attention_flops import FORMULA as twofold_attention_flops
from symbolic_llm.notation import a, a_prompt
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(a_prompt, a),
    models=(Trait.TWOFOLD,),
    uses=(twofold_attention_flops,),
    steps=(premise(a, "its queries meet the same keys", measured_by="attention.flops_per_pair"),),
    measured_by="attention.flops_per_pair",
    example={"model": "gemma-4-26b-a4b"},
)
