"""When faster arithmetic makes a step of quantised weights faster

Exactly above the crossover of the slower arithmetic. With weights in 4 bits and arithmetic in 16, an A100 80 GB PCIe is
there at 40.3 sequences; arithmetic in 4 bits, four times as fast, brings nothing below that and moves the crossover to
161.2, where it was with 16 bits for both.
"""

from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.notation import F_2, B, F, P
from symbolic_llm.steps import CLAIM, compare_larger, multiply, premise
from symbolic_llm.unevaluated import Gt, Lt

STEP = latency.rhs.xreplace(DENSE_READ)
FASTER = Lt(STEP.xreplace({F: F_2}), STEP)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FASTER, Gt(B, batch_crossover.rhs)),
    kind=Kind.THEOREM,
    where=(Condition(Gt(F_2, F), "arithmetic at the other precision is faster"),),
    uses=(compute_time, memory_time, latency, batch_crossover),
    steps=(
        premise(FASTER, "the step with the same weights and faster arithmetic is faster"),
        compare_larger(
            Gt(compute_time.rhs, memory_time.rhs.xreplace(DENSE_READ)),
            "which is so only where the arithmetic was the longer of the two",
        ),
        multiply(F / (multiply_add * P * one_token), CLAIM, "by F/(2P), which is positive"),
    ),
    measured_by="clock.other_arithmetic_is_faster",
    sources=("timbers-2023",),
    example={**memory_time.example, "F_2": "1248 TFLOP/s", "B": 41},
)
