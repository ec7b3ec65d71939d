"""Matrix products of a prefill that skips the future

A token attends only to those before it and to itself: half of the scores, and the diagonal. This is what generating the
same tokens one by one takes, and what an attention kernel can save that does not compute what is masked.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, C_prefill, N, P, a, i_token
from symbolic_llm.steps import multiply, premise, sum_over

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * N * (multiply_add * P + a * (N + one_token) / 2)),
    uses=(total_parameters, attention_flops_per_context_token),
    steps=(
        premise(multiply_add * P + a * i_token, "the i-th token attends to i tokens"),
        sum_over(
            i_token,
            N / one_token,
            N / one_token * (multiply_add * P + a * (N + one_token) / 2),
            "over all tokens of a sequence",
        ),
        multiply(B * one_token, B * N * (multiply_add * P + a * (N + one_token) / 2), "for each sequence of the batch"),
    ),
    measured_by="prefill.causal_product_flops",
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
