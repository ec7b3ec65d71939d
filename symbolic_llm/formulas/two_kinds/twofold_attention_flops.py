"""Attention operations for each token of context, where heads are of two kinds"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.two_kinds.global_attention_flops import FORMULA as global_attention_flops
from symbolic_llm.notation import a, a_global, a_local
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(a, a_local + a_global),
    models=(Trait.TWOFOLD,),
    uses=(global_attention_flops, local_attention_flops),
    steps=(
        premise(a_local, "the blocks with a window", measured_by="windows.flops_per_context_token"),
        add(
            a_global,
            a_local + a_global,
            "the blocks without",
            measured_by="twofold.flops_per_context_token_without_windows",
        ),
    ),
    measured_by="attention.flops_per_context_token",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b"},
)
