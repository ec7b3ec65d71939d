"""A step as a whole is never slower than its parts by themselves

Whatever target matrices and attention meet one after the other, the whole step meets: max(ΣC, ΣM) ≤ Σ max(C, M), where
C is the arithmetic and M the reading of a part. They are equal where both parts are held back by the same of the two,
as parts_bound_alike proves.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.latency.separate_latency import FORMULA as separate_latency
from symbolic_llm.notation import T_target
from symbolic_llm.steps import CLAIM, premise, weaken
from symbolic_llm.unevaluated import Le

PARTS = Le(separate_latency.rhs, T_target)

FORMULA = Formula(
    __name__,
    claim=Implication(PARTS, Le(latency_with_cache.rhs, T_target)),
    kind=Kind.THEOREM,
    uses=(separate_latency, latency_with_cache),
    steps=(
        premise(PARTS, "matrices and attention, one after the other, meet a target"),
        weaken(CLAIM, "of two sums neither exceeds the sum of the larger summands"),
    ),
    measured_by="clock.within_target",
    example={**separate_latency.example, "T_target": "300 ms"},
)
