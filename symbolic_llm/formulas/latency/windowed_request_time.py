"""Time of prompt and answer, where some blocks have a window

As request_time: the prefill of the prompt with attention, and a decoding step for each new token with the cache that it
finds, which stops growing at the window.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.prefill_time_with_attention import FORMULA as prefill_time_with_attention
from symbolic_llm.formulas.latency.windowed_decode_time_with_cache import FORMULA as windowed_decode_time_with_cache
from symbolic_llm.notation import T_decode, T_generation, T_prefill
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_generation, T_prefill + T_decode),
    kind=Kind.LAW,
    models=(Trait.GROUPED, Trait.MIXED, Trait.WINDOWED),
    uses=(prefill_time_with_attention, windowed_decode_time_with_cache),
    steps=(
        premise(T_prefill, "the prompt, until the first token"),
        add(T_decode, T_prefill + T_decode, "then a decoding step for every new token"),
    ),
    measured_by="clock.request_time",
    example={
        "model": "mistral-7b-v0.1",
        "hardware": "a100-80gb-pcie",
        "dtype": "fp16",
        "N": 4000,
        "n_new": 500,
        "B": 1,
    },
)
