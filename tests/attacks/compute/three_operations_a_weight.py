"""Three operations for each weight and token

False: a weight takes two. It agrees with every count, because a false definition of P makes up for the third.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.two_thirds_of_p import FORMULA as two_thirds_of_p
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_decode, N, P, a
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.units import FLOP, TOKEN, WEIGHT

three = count(3, "a multiplication, an addition and a rounding", FLOP / (WEIGHT * TOKEN))

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, B * one_token * (three * P + a * N)),
    uses=(two_thirds_of_p, attention_flops_per_context_token),
    steps=(
        premise(three * P, "each weight", measured_by="schematic/decode.product_flops[!*.scores, !*.mix](batch=1)"),
        add(
            a * N,
            three * P + a * N,
            "attention meets every token",
            measured_by="schematic/decode.product_flops[*.scores, *.mix](batch=1)",
        ),
        multiply(B * one_token, B * one_token * (three * P + a * N), "one new token for each sequence"),
    ),
    measured_by="decode.product_flops",
    example={"P": 7000000000, "B": 1, "N": 10, "a": 5},
)
