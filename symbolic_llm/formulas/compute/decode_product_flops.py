"""Matrix products of one decoding step

Two operations for each weight, and what attention does with each token of the context; norms, softmax, activations and
additions left out. This is what PyTorch's flop counter counts, and what most people mean.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.context_flops import FORMULA as context_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_decode, C_seq, P
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

PER_TOKEN = multiply_add * P + C_seq

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    uses=(total_parameters, context_flops),
    steps=(
        premise(
            multiply_add * P,
            "each weight multiplies and adds",
            measured_by="decode.flops_of_weights(batch=1)",
        ),
        add(
            C_seq,
            PER_TOKEN,
            "attention and states meet what is kept of the sequence",
            measured_by="decode.flops_of_a_sequence",
        ),
        multiply(B * one_token, CLAIM, "one new token for each sequence of the batch"),
    ),
    measured_by="decode.product_flops",
    example={"model": "llama-3-8b", "N": 4096, "B": 1},
)
