"""Latency of a decoding step with cache reads

As latency, with the cache among what is read and attention among what is computed.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.notation import T_step
from symbolic_llm.steps import CLAIM, cite, larger_of
from symbolic_llm.unevaluated import Eq, Max

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, Max(compute_time_with_attention.rhs, memory_time_with_cache.rhs)),
    kind=Kind.LAW,
    uses=(compute_time_with_attention, memory_time_with_cache),
    steps=(
        cite(compute_time_with_attention, "the arithmetic"),
        larger_of(memory_time_with_cache, CLAIM, "while it runs, the next weights and keys are read"),
    ),
    measured_by="clock.step_time_with_cache",
    example={"model": "llama-3-8b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
