"""Latency of a decoding step where heads are of two kinds

As latency_with_cache: what is read goes by the bytes that are kept, what is computed by the context that is met.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.two_kinds.twofold_compute_time import FORMULA as twofold_compute_time
from symbolic_llm.notation import T_step
from symbolic_llm.steps import cite, larger_of
from symbolic_llm.written import Eq, Max

LONGER = Max(twofold_compute_time.rhs, memory_time_with_cache.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, LONGER),
    kind=Kind.LAW,
    uses=(twofold_compute_time, memory_time_with_cache),
    steps=(
        cite(twofold_compute_time, "the arithmetic"),
        larger_of(memory_time_with_cache, LONGER, "while it runs, the next weights and keys are read"),
    ),
    measured_by="clock.step_time_with_cache",
    example={"model": "gemma-4-26b-a4b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
