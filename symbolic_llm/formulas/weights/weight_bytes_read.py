"""Bytes of weights that a decoding step reads

Where all weights are stored in one format. A file with several has a sum over its parts in the place of this.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import D_weights, P_read, n_bytes
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_weights, P_read * n_bytes),
    uses=(weights_read,),
    steps=(
        premise(P_read, "each weight that is multiplied is read once", measured_by="weights.read"),
        multiply(n_bytes, CLAIM, "all of them in the same format"),
    ),
    measured_by="decode.bytes_of_weights",
    example={"model": "llama-2-7b", "weights": "fp16"},
)
