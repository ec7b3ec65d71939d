"""Memory time

A pass reads every weight that it multiplies once, whatever the batch: that is why the batch does not appear, and
neither does the 2, which belongs to the arithmetic.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, T_memory, W, n_bytes
from symbolic_llm.steps import divide, premise

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory, P * n_bytes / W),
    kind=Kind.LAW,
    uses=(total_parameters,),
    steps=(
        premise(P * n_bytes, "the weights that are multiplied are read once", measured_by="decode.weight_bytes_read"),
        divide(W, P * n_bytes / W, "at full bandwidth"),
    ),
    measured_by="clock.memory_time",
    sources=("timbers-2023", "baseten-2023"),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4"},
)
