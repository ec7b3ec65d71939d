"""Batch crossover where some blocks have a state

The crossover exists only while one more sequence adds more arithmetic than traffic, states both ways included.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.formulas.shared import multiply_add, one_token, there_and_back
from symbolic_llm.formulas.states.hybrid_compute_time import FORMULA as hybrid_compute_time
from symbolic_llm.formulas.states.hybrid_memory_time import FORMULA as hybrid_memory_time
from symbolic_llm.notation import B, B_star_cache, C_state, F, N, P, P_read, W, a, m_state, m_token, n_bytes
from symbolic_llm.steps import premise, solve_for, substitute
from symbolic_llm.written import Eq, Gt

WORK = W * (multiply_add * P + a * N + C_state) * one_token
MOVED = F * (N * m_token + there_and_back * m_state)
CROSSOVER = P * n_bytes * F / (WORK - MOVED)
CROSSING = Eq(
    hybrid_compute_time.rhs.xreplace({B: B_star_cache}),
    hybrid_memory_time.rhs.xreplace({B: B_star_cache}),
)

one_more_adds_work = Condition(
    Gt(WORK, MOVED),
    "one more sequence adds more arithmetic time than its cache and states take to cross the bus",
    "no batch is compute-bound: the cache and states of a sequence take longer to cross the bus than its arithmetic",
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star_cache, CROSSOVER),
    models=(Trait.HYBRID,),
    kind=Kind.LAW,
    where=(one_more_adds_work,),
    uses=(hybrid_compute_time, hybrid_memory_time, weights_read),
    steps=(
        premise(CROSSING, "at the crossover, arithmetic takes as long as the bus"),
        substitute(weights_read, CROSSING.xreplace({P_read: P}), "what is read is what every token is multiplied with"),
        solve_for(B_star_cache, Eq(B_star_cache, CROSSOVER), "for the batch; it stands on both sides"),
    ),
    measured_by="hybrid/clock.batch_crossover_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
