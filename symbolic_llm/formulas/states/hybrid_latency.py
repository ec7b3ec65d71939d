"""Latency of a decoding step where some blocks have a state

As latency_with_cache, with the states among what is read, and written back, and among what is computed with.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_compute_time import FORMULA as hybrid_compute_time
from symbolic_llm.formulas.states.hybrid_memory_time import FORMULA as hybrid_memory_time
from symbolic_llm.notation import T_step
from symbolic_llm.steps import cite, larger_of
from symbolic_llm.written import Eq, Max

LONGER = Max(hybrid_compute_time.rhs, hybrid_memory_time.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, LONGER),
    kind=Kind.LAW,
    uses=(hybrid_compute_time, hybrid_memory_time),
    steps=(
        cite(hybrid_compute_time, "the arithmetic"),
        larger_of(hybrid_memory_time, LONGER, "while it runs, the next weights, keys and states cross the bus"),
    ),
    measured_by="sparse hybrid/clock.step_time_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
