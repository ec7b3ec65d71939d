"""When a decoding step is memory-bound, cache reads counted

Where the crossover exists, exactly below it.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover_with_cache import FORMULA as batch_crossover_with_cache
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import crossover_exists, multiply_add, one_token
from symbolic_llm.notation import B, C_seq, D_seq, D_weights, F, P, W
from symbolic_llm.steps import CLAIM, divide, multiply, premise, subtract
from symbolic_llm.unevaluated import Lt

READING = memory_time_with_cache.rhs
MEMORY_BOUND = Lt(compute_time_with_attention.rhs, READING)
ARITHMETIC = W * (multiply_add * P + C_seq) * one_token

FORMULA = Formula(
    __name__,
    claim=Equivalence(MEMORY_BOUND, Lt(B, batch_crossover_with_cache.rhs)),
    kind=Kind.THEOREM,
    where=(crossover_exists,),
    uses=(compute_time_with_attention, memory_time_with_cache, batch_crossover_with_cache),
    steps=(
        premise(MEMORY_BOUND, "the arithmetic is done before weights and cache have arrived"),
        multiply(F * W, Lt(B * ARITHMETIC, F * (D_weights + B * D_seq)), "by F·W"),
        subtract(
            F * B * D_seq,
            Lt(B * (ARITHMETIC - F * D_seq), F * D_weights),
            "what each sequence keeps is read beside the weights",
        ),
        divide(
            ARITHMETIC - F * D_seq,
            CLAIM,
            "by what one more sequence adds, which is positive where the crossover exists",
        ),
    ),
    measured_by="clock.memory_bound_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100, "B": 256},
)
