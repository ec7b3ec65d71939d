"""Time of prompt and answer where some blocks have a state

The prefill of the prompt, and a decoding step for each new token.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.prefill_time_with_attention import FORMULA as prefill_time_with_attention
from symbolic_llm.formulas.states.hybrid_decode_time import FORMULA as hybrid_decode_time
from symbolic_llm.notation import T_decode, T_generation, T_prefill
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_generation, T_prefill + T_decode),
    kind=Kind.LAW,
    models=(Trait.HYBRID,),
    uses=(prefill_time_with_attention, hybrid_decode_time),
    steps=(
        premise(T_prefill, "the prompt, until the first token"),
        add(T_decode, T_prefill + T_decode, "then a decoding step for every new token"),
    ),
    measured_by="hybrid/clock.request_time",
    example=hybrid_decode_time.example,
)
