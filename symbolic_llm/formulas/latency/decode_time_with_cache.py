"""Time of the decoding steps

Every token of an answer takes a step, and each step reads one token of cache more than the step before. The sum is
exact where no step has to wait for its arithmetic. By how much reading takes longer than arithmetic changes by the same
amount from step to step, so if it does in the first and in the last, it does in all between.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_read_while_generating import FORMULA as kv_bytes_read_while_generating
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import ALL_KEPT, WEIGHTS_OF_AN_ANSWER, first_and_last_are_memory_bound, one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import N, T_decode, W, n_new
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le

ARITHMETIC_ENDS_FIRST = Le(compute_time_with_attention.rhs, memory_time_with_cache.rhs).xreplace(ALL_KEPT)

FORMULA = Formula(
    __name__,
    claim=Eq(T_decode, (WEIGHTS_OF_AN_ANSWER + kv_bytes_read_while_generating.rhs) / W),
    kind=Kind.LAW,
    where=first_and_last_are_memory_bound(
        ARITHMETIC_ENDS_FIRST.xreplace({N: N + one_token}),
        ARITHMETIC_ENDS_FIRST.xreplace({N: N + n_new}),
        "latency_with_cache",
    ),
    uses=(weight_bytes_read, kv_bytes_read_while_generating, compute_time_with_attention, memory_time_with_cache),
    steps=(
        premise(
            WEIGHTS_OF_AN_ANSWER / W,
            "every step reads the weights once, at full bandwidth",
            measured_by="clock.answer_memory_time[!*.cache]",
        ),
        add(
            kv_bytes_read_while_generating.rhs / W,
            CLAIM,
            "and the cache, as long as it is by then; no step waits for its arithmetic",
            measured_by="clock.answer_memory_time[*.cache]",
        ),
    ),
    measured_by="clock.decode_time_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "N": 500, "n_new": 500, "B": 1},
)
