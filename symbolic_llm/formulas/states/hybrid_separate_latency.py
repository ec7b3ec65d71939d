"""Latency of a decoding step where some blocks have a state, part by part

As hybrid_latency, but matrices by themselves, and by themselves what attends and what has a state.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import one_token, there_and_back
from symbolic_llm.formulas.states.hybrid_attention_flops_per_context_token import (
    FORMULA as hybrid_attention_flops_per_context_token,
)
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.formulas.states.state_product_flops import FORMULA as state_product_flops
from symbolic_llm.notation import B, C_state, F, N, T_step, W, a, m_state, m_token
from symbolic_llm.steps import add, cite, larger_of
from symbolic_llm.written import Eq, Max

MATRICES = Max(compute_time.rhs, memory_time.rhs)
KEPT = Max(B * one_token * (a * N + C_state) / F, B * (N * m_token + there_and_back * m_state) / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, MATRICES + KEPT),
    models=(Trait.HYBRID,),
    kind=Kind.LAW,
    uses=(
        compute_time,
        memory_time,
        hybrid_attention_flops_per_context_token,
        hybrid_kv_bytes_per_token,
        state_bytes,
        state_product_flops,
    ),
    steps=(
        cite(compute_time, "the arithmetic of the matrices"),
        larger_of(memory_time, MATRICES, "while it runs, the weights are read"),
        add(
            KEPT,
            MATRICES + KEPT,
            "then attention and the states, while caches are read and states cross the bus both ways",
            measured_by="sparse hybrid/clock.attention_time",
        ),
    ),
    measured_by="sparse hybrid/clock.separate_step_time",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
