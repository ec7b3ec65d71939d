"""Bytes of weights that a prefill reads

Where all weights are stored in one format.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.notation import D_weights_prompt, P_prompt, n_bytes
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_weights_prompt, P_prompt * n_bytes),
    uses=(prefill_weights_read,),
    steps=(
        premise(P_prompt, "each weight that is multiplied is read once", measured_by="weights.read_by_a_prompt"),
        multiply(n_bytes, CLAIM, "all of them in the same format"),
    ),
    measured_by="prefill.bytes_of_weights",
    example={"model": "llama-2-7b", "weights": "fp16"},
)
