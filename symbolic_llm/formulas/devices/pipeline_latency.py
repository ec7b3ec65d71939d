"""A pipeline makes no token faster

If the stages together have as much to do as one device, a micro-batch is through them no sooner than one device is done
with it. What a pipeline gains is room: each device holds the weights and the cache of its blocks alone.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.pipeline_time import FORMULA as pipeline_time
from symbolic_llm.notation import T_alone, T_hop, T_stage, n_stages
from symbolic_llm.steps import premise, weaken
from symbolic_llm.unevaluated import Ge

ALL_WORK = Ge(n_stages * T_stage, T_alone)
NO_SOONER = Ge(n_stages * T_stage + (n_stages - 1) * T_hop, T_alone)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Implication(ALL_WORK, NO_SOONER),
    kind=Kind.THEOREM,
    uses=(pipeline_time,),
    steps=(
        premise(ALL_WORK, "the stages together do all the work"),
        weaken(NO_SOONER, "and the way from stage to stage takes time besides"),
    ),
    measured_by="stages.no_sooner",
    sources=("huang-2018",),
    example={"n_stages": 4, "T_stage": "5 ms", "T_hop": "20 us", "T_alone": "20 ms"},
)
