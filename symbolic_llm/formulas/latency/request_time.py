"""Time of prompt and answer

The prefill of a prompt of N tokens with attention, and a decoding step for each new token with the cache that it finds.
As in generation_time, the token that the prefill itself gives is not counted among the new ones: n_new + 1 tokens have
come after this time, the first of them after the prefill.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.decode_time_with_cache import FORMULA as decode_time_with_cache
from symbolic_llm.formulas.latency.prefill_time_with_attention import FORMULA as prefill_time_with_attention
from symbolic_llm.notation import T_generation
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_generation, prefill_time_with_attention.rhs + decode_time_with_cache.rhs),
    kind=Kind.LAW,
    uses=(prefill_time_with_attention, decode_time_with_cache),
    steps=(
        cite(prefill_time_with_attention, "the prompt, until the first token"),
        add(decode_time_with_cache, CLAIM, "then a decoding step for every new token"),
    ),
    measured_by="clock.request_time",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "N": 500, "n_new": 500, "B": 1},
)
