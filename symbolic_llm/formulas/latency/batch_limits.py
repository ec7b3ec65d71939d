"""What limits a batch: memory, reading or arithmetic

Three things limit a batch: room for caches in memory, the time to read them within the target, and the time to compute
with them. The smallest of the three numbers is the largest batch. If several are equally small, the first in this order
is named. While memory is the limit, a faster machine serves no more sequences; once time is the limit, a larger memory
serves no more.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Cases, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.batch_computed_in_time import FORMULA as batch_computed_in_time
from symbolic_llm.formulas.latency.batch_read_in_time import FORMULA as batch_read_in_time
from symbolic_llm.formulas.latency.largest_batch import FORMULA as largest_batch
from symbolic_llm.formulas.memory.sequences_that_fit import FORMULA as sequences_that_fit
from symbolic_llm.notation import B_compute, B_fit, B_read
from symbolic_llm.steps import cite
from symbolic_llm.unevaluated import Le, Lt

FORMULA = Formula(
    __name__,
    claim=Cases(
        largest_batch.rhs,
        (
            (
                "capacity: no more caches fit into memory",
                B_fit,
                (Le(B_fit, B_read), Le(B_fit, B_compute)),
            ),
            (
                "the target, by memory traffic: no more can be read in time",
                B_read,
                (Lt(B_read, B_fit), Le(B_read, B_compute)),
            ),
            (
                "the target, by arithmetic: no more can be computed in time",
                B_compute,
                (Lt(B_compute, B_fit), Lt(B_compute, B_read)),
            ),
        ),
    ),
    kind=Kind.THEOREM,
    models=(Trait.DENSE,),
    uses=(largest_batch, sequences_that_fit, batch_read_in_time, batch_computed_in_time),
    steps=(cite(largest_batch, "the fewest of the three, and each of them can be that"),),
    measured_by="serving.limit",
    example=batch_read_in_time.example,
)
