"""Batch crossover of a mixture of experts

A batch as large as this reads all experts, P_all weights, while each of its tokens is multiplied with P of them: so it
is larger than that of a dense model by the quotient of the two.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.all_expert_weights_read import FORMULA as all_expert_weights_read
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import crossover_exists, multiply_add, one_token
from symbolic_llm.notation import B, B_star_cache, F, N_kept, P, P_all, P_read, W, a, m_token, n_bytes
from symbolic_llm.steps import premise, solve_for

CROSSOVER = P_all * n_bytes * F / (W * (multiply_add * P + a * N_kept) * one_token - F * m_token * N_kept)
CROSSING = Eq(
    compute_time_with_attention.rhs.xreplace({B: B_star_cache}),
    memory_time_with_cache.rhs.xreplace({B: B_star_cache, P_read: P_all}),
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star_cache, CROSSOVER),
    kind=Kind.LAW,
    where=(crossover_exists,),
    models=(Trait.EXPERTS,),
    uses=(compute_time_with_attention, memory_time_with_cache, all_expert_weights_read),
    steps=(
        premise(CROSSING, "at the crossover, arithmetic takes as long as reading all experts and the cache"),
        solve_for(B_star_cache, Eq(B_star_cache, CROSSOVER), "for the batch; it stands on both sides"),
    ),
    measured_by="clock.crossover_of_all_experts",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
