"""Matrix products of one decoding step

Two operations for each weight, and what attention does with each token of the context; norms, softmax, activations and
additions left out. This is what PyTorch's flop counter counts, and what most people mean.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.kv_cache.kept_context import FORMULA as kept_context
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_decode, N_kept, P, a
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

PER_TOKEN = multiply_add * P + a * N_kept

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    models=STATELESS,
    uses=(total_parameters, attention_flops_per_context_token, kept_context),
    steps=(
        premise(
            multiply_add * P,
            "each weight multiplies and adds",
            measured_by="decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        add(
            a * N_kept,
            PER_TOKEN,
            "attention meets every token that a block keeps",
            measured_by="decode.product_flops[*.scores, *.mix](batch=1)",
        ),
        multiply(B * one_token, B * one_token * PER_TOKEN, "one new token for each sequence of the batch"),
    ),
    measured_by="decode.product_flops",
    sources=("kipply-2022",),
    example={"model": "llama-3-8b", "N": 4096, "B": 1},
)
