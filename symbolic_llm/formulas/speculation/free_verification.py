"""While a draft is verified for free

To the weights, a draft of γ tokens of each sequence is a batch that is γ + 1 times as large. As long as that does not
exceed the crossover, the pass takes as long as reading the weights, like a step without a draft.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.notation import B, F, P, gamma
from symbolic_llm.steps import CLAIM, multiply, premise, resolve_larger
from symbolic_llm.unevaluated import Eq, Le

LARGER = B * (gamma / one_token + 1)
BELOW = Le(LARGER, batch_crossover.rhs)
READING = memory_time.rhs.xreplace(DENSE_READ)

FORMULA = Formula(
    __name__,
    claim=Implication(BELOW, Eq(latency.rhs.xreplace({**DENSE_READ, B: LARGER}), READING)),
    kind=Kind.THEOREM,
    models=(Trait.DENSE, Trait.FULL),
    uses=(batch_crossover, latency, memory_time, compute_time),
    steps=(
        premise(BELOW, "draft and last token of all sequences do not exceed the crossover"),
        multiply(
            multiply_add * P * one_token / F,
            Le(compute_time.rhs.xreplace({B: LARGER}), READING),
            "by 2P/F: their arithmetic takes no longer than the reading",
        ),
        resolve_larger(CLAIM, "so the larger of the two is the reading, P·n_bytes/W"),
    ),
    measured_by="speculation.is_free",
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 16, "gamma": 4},
)
