"""Bytes sent in all-reduces

Where devices share every layer, each ends attention with a summand of every token's vector, and the MLP with another.
A ring adds them up: the vectors are cut into as many pieces as there are devices, and each device sends all pieces but
one, first to be added, then as sums. So the bytes hardly grow with the number of devices, but never fall. The output
matrix is shared out by rows, and its logits stay where they are made.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import add_and_spread, all_reduces, one_token, one_vector
from symbolic_llm.notation import B, D_reduce, d_model, n_blocks, n_bytes_act, n_tensor
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

VECTORS = B * one_token * one_vector * d_model * n_bytes_act
ONE_REDUCE = add_and_spread * (n_tensor - 1) / n_tensor * VECTORS

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_reduce, n_blocks * all_reduces * ONE_REDUCE),
    steps=(
        premise(
            ONE_REDUCE,
            "twice all pieces but one, of the vectors of all new tokens",
            measured_by="devices.bytes_sent[*.attention.*](n_blocks=1)",
        ),
        multiply(
            all_reduces,
            all_reduces * ONE_REDUCE,
            "the MLP's summands are as large",
            measured_by="devices.bytes_sent(n_blocks=1)",
        ),
        multiply(n_blocks, n_blocks * all_reduces * ONE_REDUCE, "in every block"),
    ),
    measured_by="devices.bytes_sent",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "dtype": "fp16", "B": 1, "n_tensor": 8},
)
