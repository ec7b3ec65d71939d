"""A mixed step as a whole is never slower than its parts by themselves

As step_bounds_below, for a step with a chunk of a prompt: max(ΣC, ΣM) ≤ Σ max(C, M), where C is the arithmetic and M
the reading of a part. A target that matrices and attention meet one after the other, the whole step meets. When the two
are equal, mixed_parts_bound_alike proves.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.chunked_prefill.separate_mixed_step_time import FORMULA as separate_mixed_step_time
from symbolic_llm.notation import T_target
from symbolic_llm.steps import CLAIM, premise, weaken
from symbolic_llm.unevaluated import Le

PARTS = Le(separate_mixed_step_time.rhs, T_target)

FORMULA = Formula(
    __name__,
    claim=Implication(PARTS, Le(mixed_step_time.rhs, T_target)),
    kind=Kind.THEOREM,
    uses=(separate_mixed_step_time, mixed_step_time),
    steps=(
        premise(PARTS, "matrices and attention, one after the other, meet a target"),
        weaken(CLAIM, "of two sums neither exceeds the sum of the larger summands"),
    ),
    measured_by="clock.mixed_within_target",
    example={**mixed_step_time.example, "n_chunk": 256, "T_target": "300 ms"},
)
