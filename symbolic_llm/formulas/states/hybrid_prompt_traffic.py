"""Bytes of a sequence that a prefill moves, where some blocks have a state

As many as a decoding step whose context is the prompt: a pass reads the states once and writes them back, however many
tokens go through them in between.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_context_traffic import FORMULA as hybrid_context_traffic
from symbolic_llm.notation import D_prompt, D_seq
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_prompt, D_seq),
    models=(Trait.HYBRID,),
    uses=(hybrid_context_traffic,),
    steps=(premise(D_seq, "caches once, states both ways", measured_by="decode.bytes_of_a_sequence"),),
    measured_by="prefill.bytes_of_a_sequence",
    example={"model": "qwen3.5-27b", "cache": "fp16", "N": 512},
)
