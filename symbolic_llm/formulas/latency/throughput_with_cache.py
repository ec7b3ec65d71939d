"""Throughput with cache reads

Tokens of the whole batch in a second, the cache among what is read and attention among what is computed. With a long
context a larger batch brings little: every sequence has a cache of its own to be read.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, R
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(R, B * one_token / latency_with_cache.rhs),
    kind=Kind.LAW,
    uses=(latency_with_cache,),
    steps=(
        premise(B * one_token, "a step gives each sequence one token", measured_by="clock.tokens_of_a_step"),
        divide(latency_with_cache, CLAIM, "in the time of a step"),
    ),
    measured_by="clock.throughput_with_cache",
    example={"model": "llama-3-8b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
