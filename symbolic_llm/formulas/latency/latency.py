"""Latency of a decoding step

Reading and computing overlap, so the step takes as long as the longer of the two.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.notation import T_step
from symbolic_llm.steps import CLAIM, cite, larger_of
from symbolic_llm.unevaluated import Eq, Max

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, Max(compute_time.rhs, memory_time.rhs)),
    kind=Kind.LAW,
    uses=(compute_time, memory_time),
    steps=(
        cite(compute_time, "the arithmetic"),
        larger_of(memory_time, CLAIM, "while it runs, the next weights are read"),
    ),
    measured_by="clock.step_time",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4", "B": 1},
)
