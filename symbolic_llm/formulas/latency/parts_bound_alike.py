"""Where a step as a whole is as slow as its parts

The bound of step_bounds_below is tight exactly where matrices and attention are held back by the same of the two,
memory or arithmetic, or one of them by neither. The left side of the condition is what moving the caches of a sequence
takes, the right side what computing with them takes, each times that by which the arithmetic of the matrices exceeds
their reading. Where reading the cache takes longer, as in most models, the bound is tight up to the batch crossover and
nowhere beyond.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.latency.separate_latency import FORMULA as separate_latency
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_seq, D_seq, D_weights, F, P, W
from symbolic_llm.steps import CLAIM, bound_alike, divide, multiply, premise
from symbolic_llm.unevaluated import Eq, Le

TIGHT = Eq(separate_latency.rhs, latency_with_cache.rhs)
LONGER = multiply_add * P * B * one_token / F - D_weights / W  # arithmetic of the matrices than reading them
READ, COMPUTED = B * D_seq / W, B * one_token * C_seq / F  # in attention
EXCESS = multiply_add * P * B * one_token * W - D_weights * F

FORMULA = Formula(
    __name__,
    claim=Equivalence(TIGHT, Le(EXCESS * D_seq * F, EXCESS * one_token * C_seq * W)),
    kind=Kind.THEOREM,
    uses=(separate_latency, latency_with_cache),
    steps=(
        premise(TIGHT, "matrices and attention, one after the other, take as long as the whole step"),
        bound_alike(
            Le(LONGER * READ, LONGER * COMPUTED),
            "two maxima add up where their first arguments are both the larger or both the smaller",
        ),
        divide(
            B,
            Le(LONGER * D_seq / W, LONGER * one_token * C_seq / F),
            "how many sequences there are makes no difference to attention",
        ),
        multiply(F**2 * W**2, CLAIM, "both rates to the other side"),
    ),
    measured_by="clock.parts_take_as_long",
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 128},
)
