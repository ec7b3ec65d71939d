"""A batch uses k experts for each of its sequences, until all are used

False: two sequences may pick the same expert, so fewer are to be expected.
"""

from sympy import Eq, Min

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_sequence, picked_from_all
from symbolic_llm.notation import B, n_active, n_distinct, n_experts
from symbolic_llm.steps import premise

LINEAR = Min(n_experts, n_active * B / each_sequence, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Eq(n_distinct, LINEAR),
    kind=Kind.LAW,
    where=(picked_from_all,),
    models=(Trait.EXPERTS,),
    steps=(premise(LINEAR, "no two sequences pick the same"),),
    measured_by="experts.used",
    example={"model": "mixtral-8x7b", "B": 1},
)
