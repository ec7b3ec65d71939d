"""Throughput of several devices

Tokens of the whole batch in a second, of devices that share every layer. All of them work on every sequence, so it is
the throughput of all together, and all-reduces are part of the step.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.tensor_parallel_latency import FORMULA as tensor_parallel_latency
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, R, T_step
from symbolic_llm.steps import CLAIM, divide, premise, substitute
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(R, B * one_token / tensor_parallel_latency.rhs),
    kind=Kind.LAW,
    uses=(tensor_parallel_latency,),
    steps=(
        premise(B * one_token, "a step gives each sequence one token", measured_by="devices.tokens_of_a_step"),
        divide(T_step, B * one_token / T_step, "in the time of a step"),
        substitute(tensor_parallel_latency, CLAIM, "which has the all-reduces in it"),
    ),
    measured_by="devices.throughput",
    example={**tensor_parallel_latency.example, "B": 16},
)
