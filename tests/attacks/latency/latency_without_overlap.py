"""A step takes the sum of both times

False on the machine of this book, which reads the next weights while it computes. A probe measures T_step; this formula
does not name it.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.notation import T_step
from symbolic_llm.steps import add, cite

BOTH = compute_time.rhs + memory_time.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, BOTH),
    kind=Kind.LAW,
    uses=(compute_time, memory_time),
    steps=(cite(compute_time, "the arithmetic"), add(memory_time, BOTH, "then the next weights are read")),
    unmeasured="no machine here works without overlap",
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4", "B": 1},
)
