"""Latency of a decoding step, part by part

As latency_with_cache, but matrices, and attention with any states, each by themselves: the arithmetic of the one does
not fill the time in which the other waits for its bytes. It is never below the whole step and never above the sum of
all its times, as step_bounds_below and step_bounds_above prove.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.context_flops import FORMULA as context_flops
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_seq, D_seq, F, T_step, W
from symbolic_llm.steps import CLAIM, add, cite, larger_of
from symbolic_llm.unevaluated import Eq, Max

MATRICES = Max(compute_time.rhs, memory_time.rhs)
ATTENTION = Max(B * one_token * C_seq / F, B * D_seq / W)

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, MATRICES + ATTENTION),
    kind=Kind.LAW,
    uses=(compute_time, memory_time, context_flops, context_bytes_read),
    steps=(
        cite(compute_time, "the arithmetic of the matrices"),
        larger_of(memory_time, MATRICES, "while it runs, the weights are read"),
        add(
            ATTENTION,
            CLAIM,
            "then attention and states, which are read, and written back, while it computes",
            measured_by="clock.attention_time",
        ),
    ),
    measured_by="clock.separate_step_time",
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 256},
)
