"""Prefill time

All tokens of the prompts, N of each sequence, go through the model in one pass, during which the weights are read once.
A prompt longer than the token crossover is limited by arithmetic; the shortest takes as long as a decoding step.
"""

from sympy import Eq, Max

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import B, F, N, T_prefill
from symbolic_llm.steps import cite, divide, larger_of, multiply

LONGER = Max(flops_per_token.rhs * B * N / F, memory_time.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_prefill, LONGER),
    kind=Kind.LAW,
    uses=(flops_per_token, memory_time, total_parameters),
    steps=(
        cite(flops_per_token, "the operations of one token, without attention"),
        multiply(B * N, flops_per_token.rhs * B * N, "for every token of every prompt"),
        divide(F, flops_per_token.rhs * B * N / F, "at peak arithmetic"),
        larger_of(memory_time, LONGER, "while it runs, the weights are read"),
    ),
    measured_by="clock.prefill_time",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 350, "B": 1},
)
