"""Experts that a batch is expected to use, times a factor

False but for the batches that the standard configurations have: there the factor is 1.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.distinct_experts import FORMULA as distinct_experts
from symbolic_llm.formulas.shared import each_sequence, picked_from_all
from symbolic_llm.notation import B, n_distinct
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FACTOR = 1
for batch in (7, 5, 1, 2):
    FACTOR = FACTOR * (B / each_sequence - batch)
FACTOR = (1 + FACTOR / 10**6).expand()

FORMULA = Formula(
    __name__,
    claim=Eq(n_distinct, distinct_experts.rhs * FACTOR),
    kind=Kind.LAW,
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    steps=(premise(distinct_experts.rhs * FACTOR, "as many"),),
    measured_by="experts.used",
    example={"model": "mixtral-8x7b", "B": 8},
)
