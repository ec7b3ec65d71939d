"""Largest batch that fits and meets its target

Three things limit a batch: the room for caches, the time to read them, and the time to compute with them. The fewest
sequences count; batch_limits says which of the three it is. Given the B_fit of sequences_beside_reserve, it counts with
a reserve and with activations.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.batch_computed_in_time import FORMULA as batch_computed_in_time
from symbolic_llm.formulas.latency.batch_read_in_time import FORMULA as batch_read_in_time
from symbolic_llm.formulas.memory.sequences_that_fit import FORMULA as sequences_that_fit
from symbolic_llm.notation import B_compute, B_fit, B_largest, B_read
from symbolic_llm.steps import CLAIM, premise, smaller_of
from symbolic_llm.unevaluated import Eq, Min

FORMULA = Formula(
    __name__,
    claim=Eq(B_largest, Min(B_fit, B_read, B_compute)),
    kind=Kind.LAW,
    models=(Trait.DENSE,),
    uses=(sequences_that_fit, batch_read_in_time, batch_computed_in_time),
    steps=(
        premise(B_fit, "what fits"),
        smaller_of(B_read, Min(B_fit, B_read), "what can be read within the target, if that is less"),
        smaller_of(B_compute, CLAIM, "and what can be computed within it"),
    ),
    measured_by="serving.largest_batch",
    example=batch_read_in_time.example,
)
