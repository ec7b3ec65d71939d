"""When a decoding step is memory-bound

Exactly below the crossover.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.notation import B, F, P
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Lt

MEMORY_BOUND = Lt(compute_time.rhs, memory_time.rhs.xreplace(DENSE_READ))

FORMULA = Formula(
    __name__,
    claim=Equivalence(MEMORY_BOUND, Lt(B, batch_crossover.rhs)),
    kind=Kind.THEOREM,
    uses=(compute_time, memory_time, batch_crossover),
    steps=(
        premise(MEMORY_BOUND, "the arithmetic is done before the weights have arrived"),
        multiply(F / (multiply_add * P * one_token), CLAIM, "by F/(2P), which is positive"),
    ),
    measured_by="clock.memory_bound",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "B": 128},
)
