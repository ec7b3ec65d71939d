"""Time of a training step

True of an inference step. The title says something else, a source does not exist, and the batch is negative.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency import FORMULA as latency

FORMULA = Formula(
    __name__,
    claim=latency.claim,
    kind=Kind.LAW,
    uses=latency.uses,
    steps=latency.steps,
    measured_by="clock.step_time",
    sources=("knuth-1905",),
    example={"model": "llama-7b", "hardware": "a10", "dtype": "fp16", "B": -3},
)
