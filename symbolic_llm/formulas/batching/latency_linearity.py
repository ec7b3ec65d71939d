"""Below the crossover, latency is proportional to the bytes per weight

Half the bytes, half the latency: why quantisation speeds up decoding even where the arithmetic stays in 16 bits.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.notation import B, F, P
from symbolic_llm.steps import CLAIM, multiply, premise, resolve_larger
from symbolic_llm.unevaluated import Eq, Le

BELOW = Le(B, batch_crossover.rhs)
READING = memory_time.rhs.xreplace(DENSE_READ)

FORMULA = Formula(
    __name__,
    claim=Implication(BELOW, Eq(latency.rhs.xreplace(DENSE_READ), READING)),
    kind=Kind.THEOREM,
    uses=(batch_crossover, latency, memory_time, compute_time),
    steps=(
        premise(BELOW, "a batch that does not exceed the crossover"),
        multiply(
            multiply_add * P * one_token / F,
            Le(compute_time.rhs, READING),
            "by 2P/F: the arithmetic takes no longer than the reading",
        ),
        resolve_larger(CLAIM, "so the larger of the two is the reading, P·n_bytes/W"),
    ),
    measured_by="clock.latency_is_memory_time",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "B": 128},
)
