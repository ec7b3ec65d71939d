"""Throughput where some blocks have a state

Tokens of the whole batch in a second. A longer context costs less than where every block has a cache.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.states.hybrid_latency import FORMULA as hybrid_latency
from symbolic_llm.notation import B, R
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(R, B * one_token / hybrid_latency.rhs),
    kind=Kind.LAW,
    uses=(hybrid_latency,),
    steps=(
        premise(
            B * one_token, "a step gives each sequence one token", measured_by="sparse hybrid/clock.tokens_of_a_step"
        ),
        divide(hybrid_latency, B * one_token / hybrid_latency.rhs, "in the time of a step"),
    ),
    measured_by="sparse hybrid/clock.throughput_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
