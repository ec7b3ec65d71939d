"""Bytes sent in all-reduces

A ring adds the summands of all devices up: the vectors are cut into as many pieces as there are devices, and each
device sends all pieces but one, first to be added, then as sums. So the bytes hardly grow with the number of devices,
but never fall. The output matrix is shared out by rows, and its logits stay where they are made.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduces import FORMULA as all_reduces
from symbolic_llm.formulas.shared import add_and_spread, one_token, one_vector
from symbolic_llm.notation import B, D_reduce, d_model, n_bytes_act, n_reduces, n_tensor
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

VECTORS = B * one_token * one_vector * d_model * n_bytes_act
ONE_REDUCE = add_and_spread * (n_tensor - 1) / n_tensor * VECTORS

FORMULA = Formula(
    __name__,
    claim=Eq(D_reduce, n_reduces * ONE_REDUCE),
    uses=(all_reduces,),
    steps=(
        premise(
            ONE_REDUCE,
            "twice all pieces but one, of the vectors of all new tokens",
            measured_by="devices.bytes_sent[*.attention.*](n_blocks=1)",
        ),
        multiply(n_reduces, CLAIM, "as often as sums are made"),
    ),
    measured_by="devices.bytes_sent",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "dtype": "fp16", "B": 1, "n_tensor": 8},
)
