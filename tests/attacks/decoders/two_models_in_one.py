"""Matrix products of a step, with the weights of two decoders

Ambiguous: one used formula gives a LLaMA's weights, the other those of the decoder with four square matrices.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_multiplied_parameters import FORMULA as llama_multiplied_parameters
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_decode, N, P, a
from symbolic_llm.steps import add, multiply, premise

ALL = B * one_token * (multiply_add * P + a * N)

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, ALL),
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    uses=(llama_multiplied_parameters, total_parameters, attention_flops_per_context_token),
    steps=(
        premise(
            multiply_add * P, "each weight", measured_by="schematic/decode.product_flops[!*.scores, !*.mix](batch=1)"
        ),
        add(
            a * N,
            multiply_add * P + a * N,
            "attention meets every token",
            measured_by="schematic/decode.product_flops[*.scores, *.mix](batch=1)",
        ),
        multiply(B * one_token, ALL, "one new token for each sequence"),
    ),
    measured_by="decode.product_flops",
    example={"model": "llama-2-7b", "B": 2, "N": 9},
)
