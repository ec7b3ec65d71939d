"""A token takes one operation, with an error of at most everything

True and worthless: whatever is smaller than the truth is wrong by less than the whole of it. A rule of thumb that does
not get better anywhere is none.
"""

from sympy import Integer

from symbolic_llm.claims import Approximation, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_flops import FORMULA as decode_flops
from symbolic_llm.formulas.compute.decode_flops import PER_TOKEN
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import mlp_is_fourfold
from symbolic_llm.notation import C_token
from symbolic_llm.numeral import count
from symbolic_llm.steps import at_most, premise
from symbolic_llm.units import FLOP, TOKEN

one_operation = count(1, "operation for each token", FLOP / TOKEN)

FORMULA = Formula(
    __name__,
    claim=Approximation(C_token, one_operation, exact=PER_TOKEN, bound=Integer(1)),
    kind=Kind.APPROXIMATION,
    where=(mlp_is_fourfold,),
    uses=(decode_flops, total_parameters, attention_flops_per_context_token),
    steps=(
        premise((PER_TOKEN - one_operation) / PER_TOKEN, "the relative error"),
        at_most(Integer(1), "no more than the whole"),
    ),
    measured_by="schematic/decode.flops_of_a_token",
    example={"model": "llama-2-7b", "N": 4096},
)
