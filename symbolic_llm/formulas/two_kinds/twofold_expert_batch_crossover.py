"""Batch crossover of a mixture of experts where heads are of two kinds

As expert_batch_crossover: a batch as large as this reads all experts, and each of its tokens is multiplied with a few.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.all_expert_weights_read import FORMULA as all_expert_weights_read
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import READ_OF_ONE, WORK_OF_ONE, multiply_add, one_more_adds_work, one_token
from symbolic_llm.formulas.two_kinds.twofold_compute_time import FORMULA as twofold_compute_time
from symbolic_llm.notation import B_star_cache, F, N_kept, N_met, P, P_all, W, a, m_token, n_bytes
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

CROSSOVER = P_all * n_bytes * F / (WORK_OF_ONE - READ_OF_ONE)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star_cache, CROSSOVER),
    kind=Kind.LAW,
    where=(one_more_adds_work,),
    models=(Trait.EXPERTS, Trait.TWOFOLD),
    uses=(twofold_compute_time, memory_time_with_cache, all_expert_weights_read),
    steps=(
        premise(
            P_all * n_bytes / W,
            "the time of reading all experts",
            measured_by="sparse twofold/clock.memory_time_of_all_experts",
        ),
        divide(
            (multiply_add * P + a * N_met) * one_token / F - N_kept * m_token / W,
            CROSSOVER,
            "each sequence adds so much more arithmetic than reading of its caches",
        ),
    ),
    measured_by="sparse twofold/clock.crossover_of_all_experts",
    example={"model": "gemma-4-26b-a4b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
