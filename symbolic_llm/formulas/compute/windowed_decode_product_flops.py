"""Matrix products of one decoding step with windows

As decode_product_flops, but the blocks with a window meet the tokens of the window only.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.windowed_kv_bytes import KEPT
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token, score_and_sum, window_is_full
from symbolic_llm.notation import B, C_decode, P, d_head, n_heads
from symbolic_llm.steps import add, multiply, premise

ATTENTION = score_and_sum * n_heads * d_head * KEPT

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * (multiply_add * P + ATTENTION)),
    where=(window_is_full,),
    uses=(total_parameters,),
    steps=(
        premise(multiply_add * P, "each weight multiplies and adds"),
        add(ATTENTION, multiply_add * P + ATTENTION, "scores and weighted sums, in each block with what it keeps"),
        multiply(B * one_token, B * one_token * (multiply_add * P + ATTENTION), "one new token for each sequence"),
    ),
    measured_by="decode.windowed_product_flops",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "N": 8192, "B": 1},
)
