"""Operations of a prompt's token with caches and states

As many as those of a new token that is decoded after as many tokens, if it meets all of the prompt.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_context_flops import FORMULA as hybrid_context_flops
from symbolic_llm.notation import C_prompt, C_seq
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prompt, C_seq),
    models=(Trait.HYBRID,),
    uses=(hybrid_context_flops,),
    steps=(
        premise(
            C_seq,
            "its queries meet the same keys, and it meets the state that those before it left",
            measured_by="decode.flops_of_a_sequence",
        ),
    ),
    measured_by="prefill.flops_of_a_sequence",
    sources=("yang-2024",),
    example={"model": "qwen3.5-27b", "N": 512},
)
