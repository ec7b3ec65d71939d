"""Memory time

A pass reads every weight once, whatever the batch: that is why the batch does not appear, and neither does the 2,
which belongs to the arithmetic.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import T_memory, W
from symbolic_llm.steps import cite, divide

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory, weight_bytes.rhs / W),
    kind=Kind.LAW,
    uses=(weight_bytes,),
    steps=(
        cite(weight_bytes, "the bytes that are read"),
        divide(W, weight_bytes.rhs / W, "at full bandwidth"),
    ),
    measured_by="clock.memory_time",
    sources=("timbers-2023", "baseten-2023"),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4"},
)
