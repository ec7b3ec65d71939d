"""Memory time

A pass reads every weight that it multiplies once, whatever the batch: that is why the batch does not appear, and
neither does the 2, which belongs to the arithmetic.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.notation import P_read, T_memory, W, n_bytes
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory, P_read * n_bytes / W),
    kind=Kind.LAW,
    uses=(weights_read,),
    steps=(
        premise(
            P_read * n_bytes,
            "each weight that is multiplied is read once",
            measured_by="decode.bytes_moved[!embedding, !*.cache]",
        ),
        divide(W, P_read * n_bytes / W, "at full bandwidth"),
    ),
    measured_by="clock.memory_time",
    sources=("kipply-2022", "baseten-2023"),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4"},
)
