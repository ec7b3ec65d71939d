"""Time of the decoding steps where some blocks have a state

As decode_time_with_cache: each step reads one token of cache more than the step before, and the states, which it writes
back, are as large in the last step as in the first. The sum is exact where no step has to wait for its arithmetic.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.memory.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.shared import (
    WEIGHTS_OF_AN_ANSWER,
    first_and_last_are_memory_bound,
    half,
    one_token,
    there_and_back,
)
from symbolic_llm.formulas.states.hybrid_context_flops import FORMULA as hybrid_context_flops
from symbolic_llm.formulas.states.hybrid_context_traffic import FORMULA as hybrid_context_traffic
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, C_seq, D_seq, N, T_decode, W, m_state, m_token, n_new
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq, Le

CACHE = B * m_token * n_new * (N + (n_new + one_token) / half) / one_token
STATES = B * there_and_back * m_state * n_new / one_token
MOVED = {D_seq: hybrid_context_traffic.rhs, C_seq: hybrid_context_flops.rhs}
ARITHMETIC_ENDS_FIRST = Le(compute_time_with_attention.rhs, memory_time_with_cache.rhs).xreplace(MOVED)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_decode, (WEIGHTS_OF_AN_ANSWER + CACHE + STATES) / W),
    kind=Kind.LAW,
    where=first_and_last_are_memory_bound(
        ARITHMETIC_ENDS_FIRST.xreplace({N: N + one_token}),
        ARITHMETIC_ENDS_FIRST.xreplace({N: N + n_new}),
        "latency_with_cache",
    ),
    models=(Trait.HYBRID,),
    uses=(
        weight_bytes_read,
        hybrid_kv_bytes_per_token,
        state_bytes,
        hybrid_context_traffic,
        hybrid_context_flops,
        compute_time_with_attention,
        memory_time_with_cache,
    ),
    steps=(
        premise(
            WEIGHTS_OF_AN_ANSWER / W,
            "every step reads the weights once, at full bandwidth",
            measured_by="hybrid/clock.answer_memory_time[!*.cache, !*.kept]",
        ),
        add(
            CACHE / W,
            (WEIGHTS_OF_AN_ANSWER + CACHE) / W,
            "and the caches of the blocks that attend, as long as they are by then",
            measured_by="hybrid/clock.answer_memory_time[*.cache]",
        ),
        add(
            STATES / W,
            (WEIGHTS_OF_AN_ANSWER + CACHE + STATES) / W,
            "and the states, both ways; no step waits for its arithmetic",
            measured_by="hybrid/clock.answer_memory_time[*.kept]",
        ),
    ),
    measured_by="hybrid/clock.decode_time_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "n_new": 500, "B": 1},
)
