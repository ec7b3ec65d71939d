"""When fewer bytes per weight make a step faster

Exactly below the crossover of the larger ones. Weights that are quantised by themselves leave the arithmetic as it is,
so a batch that keeps the arithmetic busy gains nothing from them.
"""

from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.notation import B, F, P, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, compare_larger, multiply, premise
from symbolic_llm.unevaluated import Lt

STEP = latency.rhs.xreplace(DENSE_READ)
FASTER = Lt(STEP.xreplace({n_bytes: n_bytes_2}), STEP)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FASTER, Lt(B, batch_crossover.rhs)),
    kind=Kind.THEOREM,
    where=(Condition(Lt(n_bytes_2, n_bytes), "a quantised weight takes fewer bytes"),),
    uses=(compute_time, memory_time, latency, batch_crossover),
    steps=(
        premise(FASTER, "the step with fewer bytes for each weight, and the same arithmetic, is faster"),
        compare_larger(
            Lt(compute_time.rhs, memory_time.rhs.xreplace(DENSE_READ)),
            "which is so only where reading the weights was the longer of the two",
        ),
        multiply(F / (multiply_add * P * one_token), CLAIM, "by F/(2P), which is positive"),
    ),
    measured_by="clock.other_bytes_are_faster",
    sources=("timbers-2023",),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "n_bytes_2": 0.5, "B": 128},
)
