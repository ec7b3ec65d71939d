"""Time of the decoding steps, where some blocks have a window

As decode_time_with_cache, with caches that stop growing at the window. What blocks keep never gets less, so here too
what holds of the first step and of the last holds of all between.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.windowed_context_flops import FORMULA as windowed_context_flops
from symbolic_llm.formulas.kv_cache.windowed_context_bytes import FORMULA as windowed_context_bytes
from symbolic_llm.formulas.kv_cache.windowed_kv_bytes_read_while_generating import (
    FORMULA as windowed_kv_bytes_read_while_generating,
)
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.memory.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.shared import WEIGHTS_OF_AN_ANSWER, first_and_last_are_memory_bound, one_token
from symbolic_llm.notation import C_seq, D_seq, N, T_decode, W, n_new
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq, Le

READ = WEIGHTS_OF_AN_ANSWER + windowed_kv_bytes_read_while_generating.rhs
ARITHMETIC_ENDS_FIRST = Le(compute_time_with_attention.rhs, memory_time_with_cache.rhs)


def _at(context: object) -> object:
    """That arithmetic ends first in the step that brings the context there."""
    letters = {D_seq: windowed_context_bytes.rhs, C_seq: windowed_context_flops.rhs}
    return ARITHMETIC_ENDS_FIRST.xreplace(letters).xreplace({N: context})


FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_decode, READ / W),
    kind=Kind.LAW,
    where=first_and_last_are_memory_bound(_at(N + one_token), _at(N + n_new), "latency_with_cache"),
    models=(Trait.GROUPED, Trait.MIXED, Trait.WINDOWED),
    uses=(
        weight_bytes_read,
        windowed_kv_bytes_read_while_generating,
        windowed_context_bytes,
        windowed_context_flops,
        compute_time_with_attention,
        memory_time_with_cache,
    ),
    steps=(
        premise(
            WEIGHTS_OF_AN_ANSWER / W,
            "every step reads the weights once, at full bandwidth",
            measured_by="clock.answer_memory_time[!*.cache]",
        ),
        add(
            windowed_kv_bytes_read_while_generating.rhs / W,
            READ / W,
            "and the cache, as long as it is by then; no step waits for its arithmetic",
            measured_by="clock.answer_memory_time[*.cache]",
        ),
    ),
    measured_by="clock.decode_time_with_cache",
    example={
        "model": "mistral-7b-v0.1",
        "hardware": "a100-80gb-pcie",
        "dtype": "fp16",
        "N": 4000,
        "n_new": 500,
        "B": 1,
    },
)
