"""Memory time

A pass reads every weight that it multiplies once, whatever the batch: that is why the batch does not appear, and
neither does the 2, which belongs to the arithmetic.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import D_weights, T_memory, W
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory, D_weights / W),
    kind=Kind.LAW,
    uses=(weight_bytes_read,),
    steps=(
        premise(
            D_weights,
            "each weight that is multiplied is read once",
            measured_by="decode.bytes_of_weights",
        ),
        divide(W, CLAIM, "at full bandwidth"),
    ),
    measured_by="clock.memory_time",
    sources=("kipply-2022", "baseten-2023"),
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4"},
)
