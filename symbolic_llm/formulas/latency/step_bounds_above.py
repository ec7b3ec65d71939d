"""A step part by part is faster than one without overlap

Whatever target is met where nothing overlaps, a step beats whose matrices and attention each overlap by themselves:
Σ max(C, M) < ΣC + ΣM, where C is the arithmetic and M the reading of a part. The bound is never tight, since every part
has something to read and something to compute. The two come close where in each part one of its times is next to
nothing.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.latency.separate_latency import FORMULA as separate_latency
from symbolic_llm.notation import T_target
from symbolic_llm.steps import CLAIM, premise, weaken
from symbolic_llm.unevaluated import Le, Lt

SUM = Le(compute_time_with_attention.rhs + memory_time_with_cache.rhs, T_target)

FORMULA = Formula(
    __name__,
    claim=Implication(SUM, Lt(separate_latency.rhs, T_target)),
    kind=Kind.THEOREM,
    uses=(compute_time_with_attention, memory_time_with_cache, separate_latency),
    steps=(
        premise(SUM, "all arithmetic and all reading, one after the other, meet a target"),
        weaken(CLAIM, "the larger of two times is less than both together, as neither is zero"),
    ),
    measured_by="clock.separate_beats_target",
    example={**separate_latency.example, "T_target": "400 ms"},
)
