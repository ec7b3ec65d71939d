"""Operations of a step with attention

False in words alone: the premise says that scores, softmax and weighted sums were counted. Its question has a misprint,
counts the scores and the sums, and so does the formula.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_multiplied_parameters import FORMULA as llama_multiplied_parameters
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_decode, N, P, a
from symbolic_llm.steps import add, multiply, premise

EACH = multiply_add * P + a * N

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, B * one_token * EACH),
    models=(Trait.FULL, Trait.GROUPED, Trait.DENSE),
    uses=(attention_flops_per_context_token, llama_multiplied_parameters),
    steps=(
        premise(
            a * N,
            "scores, softmax and weighted sums of every head",
            measured_by="llama/decode.flops[*.scores, *.sofmax, *.mix](batch=1)",
        ),
        add(
            multiply_add * P,
            EACH,
            "the matrices",
            measured_by="llama/decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        multiply(B * one_token, B * one_token * EACH, "each sequence of the batch"),
    ),
    measured_by="decode.product_flops",
    example={"model": "llama-2-7b", "B": 1, "N": 100},
)
