"""Bytes all gated short convolutions keep of a sequence

The length of the sequence does not appear: of each channel the inputs are kept that the next token is mixed with.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import sequence_number
from symbolic_llm.notation import d_conv, m_conv, n_bytes_kv, n_conv, n_kernel
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE = sequence_number * d_conv * n_bytes_kv
INPUTS = (n_kernel - 1) * ONE

FORMULA = Formula(
    __name__,
    models=(Trait.HYBRID,),
    claim=Eq(m_conv, n_conv * INPUTS),
    steps=(
        premise(
            ONE,
            "one input of each channel, stored as keys and values are",
            measured_by="state.bytes_of_convolutions(n_conv=1, n_kernel=2)",
        ),
        multiply(
            n_kernel - 1,
            INPUTS,
            "as many as the convolution looks back on, without the newest",
            measured_by="state.bytes_of_convolutions(n_conv=1)",
        ),
        multiply(n_conv, CLAIM, "every such block has its own"),
    ),
    measured_by="state.bytes_of_convolutions",
    sources=("amini-2025",),
    example={"n_conv": 10, "n_kernel": 3, "d_conv": 2048, "cache": "fp16"},
)
