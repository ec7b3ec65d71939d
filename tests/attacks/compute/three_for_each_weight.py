"""Matrix products of a step, with three operations for each weight

False: a weight takes two. The numeral is changed and nothing else.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.kv_cache.kept_context import FORMULA as kept_context
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_decode, N_kept, P, a
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.units import FLOP, TOKEN, WEIGHT

three = count(3, "operations for each weight and token", FLOP / (WEIGHT * TOKEN))

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * (three * P + a * N_kept)),
    uses=(total_parameters, attention_flops_per_context_token, kept_context),
    steps=(
        premise(three * P, "each weight"),
        add(a * N_kept, three * P + a * N_kept, "attention meets every token that a block keeps"),
        multiply(B * one_token, B * one_token * (three * P + a * N_kept), "one new token for each sequence"),
    ),
    measured_by="decode.product_flops",
    example={"model": "llama-3-8b", "N": 4096, "B": 1},
)
