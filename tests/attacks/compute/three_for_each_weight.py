"""Matrix products of a step, with three operations for each weight

False: a weight takes two. The numeral is changed and nothing else.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.context_flops import FORMULA as context_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_decode, C_seq, P
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.units import FLOP, TOKEN, WEIGHT

three = count(3, "operations for each weight and token", FLOP / (WEIGHT * TOKEN))

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, B * one_token * (three * P + C_seq)),
    uses=(total_parameters, context_flops),
    steps=(
        premise(three * P, "each weight"),
        add(C_seq, three * P + C_seq, "attention meets what is kept of the sequence"),
        multiply(B * one_token, B * one_token * (three * P + C_seq), "one new token for each sequence"),
    ),
    measured_by="decode.product_flops",
    example={"model": "llama-3-8b", "N": 4096, "B": 1},
)
