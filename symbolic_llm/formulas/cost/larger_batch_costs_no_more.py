"""A token of a larger batch never costs more

The weights are read once for all, and of what each sequence takes by itself the larger batch has no more to each. Below
the crossover a token gets cheaper with every sequence; where arithmetic is the longer, it stays as it is. So of all
batches that meet a target the largest is the cheapest, which batch_within_target gives.
"""

from typing import Any

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.cost.cost_per_token import FORMULA as cost_per_token
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.throughput_with_cache import FORMULA as throughput_with_cache
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import B_2, B, D_seq, D_weights, R, W, price, u
from symbolic_llm.steps import CLAIM, add, larger_of, multiply, premise
from symbolic_llm.unevaluated import Le, Max

COMPUTED = compute_time_with_attention.rhs / B
WEIGHTS, CACHE = D_weights / W, D_seq / W
READ = WEIGHTS / B + CACHE


def _both(each: Any) -> Any:
    """Each sequence of the larger batch has no more to bear than of this."""
    return Le(each.xreplace({B: B_2}), each)


FORMULA = Formula(
    __name__,
    claim=Implication(Le(B, B_2), _both(cost_per_token.rhs.xreplace({R: throughput_with_cache.rhs}))),
    kind=Kind.THEOREM,
    models=(Trait.DENSE,),
    uses=(cost_per_token, throughput_with_cache, weight_bytes_read, compute_time_with_attention),
    steps=(
        premise(Le(B, B_2), "a batch that is no smaller"),
        multiply(
            WEIGHTS / (B * B_2),
            _both(WEIGHTS / B),
            "each sequence has no more to read of the weights",
        ),
        add(CACHE, _both(READ), "and its own cache, whatever the batch"),
        larger_of(
            COMPUTED,
            _both(Max(READ, COMPUTED)),
            "while it is read, its own arithmetic is done",
        ),
        multiply(price / (u * one_token), CLAIM, "at the price of a second of work"),
    ),
    measured_by="money.costs_no_more",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "N": 4096,
        "B": 32,
        "B_2": 64,
        "price": "3 $/h",
        "u": 0.5,
    },
)
