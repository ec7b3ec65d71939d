"""Batch crossover where heads are of two kinds

As batch_crossover_with_cache: what is read of a sequence goes by the bytes that are kept, what is computed by the
context that is met.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.formulas.shared import READ_OF_ONE, WORK_OF_ONE, one_more_adds_work
from symbolic_llm.formulas.two_kinds.twofold_compute_time import FORMULA as twofold_compute_time
from symbolic_llm.notation import B, B_star_cache, F, P, P_read, n_bytes
from symbolic_llm.steps import premise, solve_for, substitute
from symbolic_llm.written import Eq

CROSSOVER = P * n_bytes * F / (WORK_OF_ONE - READ_OF_ONE)
CROSSING = Eq(
    twofold_compute_time.rhs.xreplace({B: B_star_cache}),
    memory_time_with_cache.rhs.xreplace({B: B_star_cache}),
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star_cache, CROSSOVER),
    models=(Trait.DENSE, Trait.TWOFOLD),
    kind=Kind.LAW,
    where=(one_more_adds_work,),
    uses=(twofold_compute_time, memory_time_with_cache, weights_read),
    steps=(
        premise(CROSSING, "at the crossover, arithmetic takes as long as reading"),
        substitute(weights_read, CROSSING.xreplace({P_read: P}), "what is read is what every token is multiplied with"),
        solve_for(B_star_cache, Eq(B_star_cache, CROSSOVER), "for the batch; it stands on both sides"),
    ),
    measured_by="clock.batch_crossover_with_cache",
    example={"model": "gemma-4-31b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
