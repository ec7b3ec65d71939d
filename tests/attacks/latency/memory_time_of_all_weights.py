"""A pass reads every weight that is stored

False for decoders that store more than they multiply: of an embedding of its own a pass reads one row for each token.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.stored_parameters import FORMULA as stored_parameters
from symbolic_llm.notation import P_total, T_memory, W, n_bytes
from symbolic_llm.steps import divide, premise

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory, P_total * n_bytes / W),
    kind=Kind.LAW,
    uses=(stored_parameters,),
    steps=(
        premise(P_total * n_bytes, "each weight is read once", measured_by="decode.bytes_moved[!embedding, !*.cache]"),
        divide(W, P_total * n_bytes / W, "at full bandwidth"),
    ),
    measured_by="clock.memory_time",
    example={"model": "llama-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16", "weights": "int4"},
)
