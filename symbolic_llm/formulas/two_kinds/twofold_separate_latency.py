"""Latency of a decoding step where heads are of two kinds, part by part

As twofold_latency, but matrices and attention each by themselves.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.two_kinds.twofold_attention_flops import FORMULA as twofold_attention_flops
from symbolic_llm.formulas.two_kinds.twofold_met_context import FORMULA as twofold_met_context
from symbolic_llm.notation import B, F, N_met, T_step, W, a
from symbolic_llm.steps import add, cite, larger_of
from symbolic_llm.written import Eq, Max

MATRICES = Max(compute_time.rhs, memory_time.rhs)
ATTENTION = Max(B * one_token * a * N_met / F, kv_bytes_total.rhs / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, MATRICES + ATTENTION),
    models=(Trait.TWOFOLD,),
    kind=Kind.LAW,
    uses=(compute_time, memory_time, twofold_attention_flops, twofold_met_context, kv_bytes_total),
    steps=(
        cite(compute_time, "the arithmetic of the matrices"),
        larger_of(memory_time, MATRICES, "while it runs, the weights are read"),
        add(
            ATTENTION,
            MATRICES + ATTENTION,
            "then attention, whose cache is read while it computes",
            measured_by="sparse twofold/clock.attention_time",
        ),
    ),
    measured_by="sparse twofold/clock.separate_step_time",
    example={"model": "gemma-4-26b-a4b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
