"""Batch crossover of a mixture of experts

A batch as large as this reads all experts, P_all weights, while each of its tokens is multiplied with P of them: so it
is larger than that of a dense model by the quotient of the two.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.all_expert_weight_bytes_read import FORMULA as all_expert_weight_bytes_read
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import crossover_exists, multiply_add, one_token
from symbolic_llm.notation import B_star_cache, C_seq, D_seq, D_weights_all, F, P, W
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(B_star_cache, D_weights_all * F / (W * (multiply_add * P + C_seq) * one_token - F * D_seq)),
    kind=Kind.LAW,
    where=(crossover_exists,),
    models=(Trait.EXPERTS,),
    uses=(compute_time_with_attention, memory_time_with_cache, all_expert_weight_bytes_read),
    steps=(
        premise(
            D_weights_all / W,
            "the time of reading all experts",
            measured_by="clock.memory_time_of_all_experts",
        ),
        divide(
            (multiply_add * P + C_seq) * one_token / F - D_seq / W,
            CLAIM,
            "each sequence adds so much more arithmetic than moving of its caches and states",
        ),
    ),
    measured_by="clock.crossover_of_all_experts",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100},
)
