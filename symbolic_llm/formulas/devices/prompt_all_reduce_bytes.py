"""Bytes sent in the all-reduces of a prefill

As all_reduce_bytes, but every token of the prompts has a vector that has to be added up: so a prompt sends as many
times the bytes of a decoding step as it has tokens, in as many messages.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduces import FORMULA as all_reduces
from symbolic_llm.formulas.shared import add_and_spread, one_vector
from symbolic_llm.notation import B, D_reduce_prompt, N, d_model, n_bytes_act, n_reduces, n_tensor
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

VECTORS = B * N * one_vector * d_model * n_bytes_act
ONE_REDUCE = add_and_spread * (n_tensor - 1) / n_tensor * VECTORS

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_reduce_prompt, n_reduces * ONE_REDUCE),
    uses=(all_reduces,),
    steps=(
        premise(
            ONE_REDUCE,
            "twice all pieces but one, of the vectors of all tokens of all prompts",
            measured_by="devices.bytes_sent_in_a_prefill[*.attention.*](n_blocks=1)",
        ),
        multiply(n_reduces, n_reduces * ONE_REDUCE, "as often as sums are made"),
    ),
    measured_by="devices.bytes_sent_in_a_prefill",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "dtype": "fp16", "N": 4096, "B": 1, "n_tensor": 8},
)
