"""Throughput where heads are of two kinds

Tokens of the whole batch in a second.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.two_kinds.twofold_latency import FORMULA as twofold_latency
from symbolic_llm.notation import B, R
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(R, B * one_token / twofold_latency.rhs),
    kind=Kind.LAW,
    uses=(twofold_latency,),
    steps=(
        premise(B * one_token, "a step gives each sequence one token", measured_by="twofold/clock.tokens_of_a_step"),
        divide(twofold_latency, B * one_token / twofold_latency.rhs, "in the time of a step"),
    ),
    measured_by="clock.throughput_with_cache",
    example={"model": "gemma-4-26b-a4b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
