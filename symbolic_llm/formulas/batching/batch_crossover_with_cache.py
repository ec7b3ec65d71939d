"""Batch crossover with cache reads

Every sequence brings a cache of its own to be read, so a larger batch brings memory time as well as arithmetic. The
crossover exists only while one more sequence adds more arithmetic than reading. Where reading a cached token takes
longer than computing with it, it rises with the context until it is gone.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import crossover_exists, multiply_add, one_token
from symbolic_llm.notation import B, B_star_cache, C_seq, D_seq, D_weights, F, P, W
from symbolic_llm.steps import CLAIM, premise, solve_for
from symbolic_llm.unevaluated import Eq

CROSSING = Eq(
    compute_time_with_attention.rhs.xreplace({B: B_star_cache}),
    memory_time_with_cache.rhs.xreplace({B: B_star_cache}),
)

FORMULA = Formula(
    __name__,
    claim=Eq(B_star_cache, D_weights * F / (W * (multiply_add * P + C_seq) * one_token - F * D_seq)),
    models=(Trait.DENSE,),
    kind=Kind.LAW,
    where=(crossover_exists,),
    uses=(compute_time_with_attention, memory_time_with_cache),
    steps=(
        premise(CROSSING, "at the crossover, arithmetic takes as long as reading"),
        solve_for(B_star_cache, CLAIM, "for the batch; it stands on both sides"),
    ),
    measured_by="clock.batch_crossover_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
