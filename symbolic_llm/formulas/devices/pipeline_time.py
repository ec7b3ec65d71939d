"""Time of a pipeline

The first micro-batch comes through all stages, and then the others one after the other, each a stage's time after the
one before. What stages hand on is on its way while they work. Of stages that are not alike one micro-batch takes the
mean time in each, since it goes through all of them once. A micro-batch alone is through no sooner than on one
device with room enough: the stages together have all its work, and the ways between them come on top. What a pipeline
gains is room, since each device holds the weights and the caches of its blocks alone.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import T_hop, T_pipeline, T_stage, n_micro, n_stages
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

THROUGH = (n_micro + n_stages - 1) * T_stage + (n_stages - 1) * T_hop

FORMULA = Formula(
    __name__,
    claim=Eq(T_pipeline, THROUGH),
    kind=Kind.LAW,
    steps=(premise(THROUGH, "all stages for the first, one more for each other, and the way between stages once"),),
    measured_by="stages.time",
    sources=("huang-2018",),
    example={"n_micro": 8, "n_stages": 4, "T_stage": "5 ms", "T_hop": "20 us"},
)
