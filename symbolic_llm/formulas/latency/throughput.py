"""Throughput

Tokens of the whole batch in a second. Below the crossover it grows in proportion to the batch; above, it does not
grow.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, R
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(R, B * one_token / latency.rhs),
    kind=Kind.LAW,
    uses=(latency,),
    steps=(
        premise(B * one_token, "a step gives each sequence one token", measured_by="clock.tokens_of_a_step"),
        divide(latency, CLAIM, "in the time of a step"),
    ),
    measured_by="clock.throughput",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4", "B": 1},
)
