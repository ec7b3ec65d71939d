"""The batch whose tokens cost least within a target

A token of a larger batch never costs more, as larger_batch_costs_no_more proves. So of all batches that meet a target
the largest is the cheapest; whether it fits into memory is asked of sequences_that_fit. That it is the cheapest of all
was found by trying every batch.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.cost.larger_batch_costs_no_more import FORMULA as larger_batch_costs_no_more
from symbolic_llm.formulas.latency.batch_within_target import FORMULA as batch_within_target
from symbolic_llm.notation import B_cheapest
from symbolic_llm.steps import cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_cheapest, batch_within_target.rhs),
    kind=Kind.LAW,
    models=(Trait.DENSE,),
    uses=(batch_within_target, larger_batch_costs_no_more),
    steps=(cite(batch_within_target, "the largest batch that meets the target, since no smaller one costs less"),),
    measured_by="money.cheapest_batch",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "N": 4096,
        "T_target": "50 ms",
    },
)
