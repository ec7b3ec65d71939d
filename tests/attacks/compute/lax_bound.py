"""Two operations per parameter and token, with a bound a thousand times as wide

True and worthless: a tighter bound is derived on the way.
"""

from symbolic_llm.claims import Approximation, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import BOUND
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.notation import C_token
from symbolic_llm.steps import at_most

CLAIM = Approximation(C_token, flops_per_token.rhs, exact=flops_per_token.claim.exact, bound=1000 * BOUND)

FORMULA = Formula(
    __name__,
    claim=CLAIM,
    kind=Kind.APPROXIMATION,
    where=flops_per_token.where,
    uses=flops_per_token.uses,
    steps=(*flops_per_token.steps, at_most(1000 * BOUND, "to be on the safe side")),
    measured_by="schematic/decode.flops_of_a_token",
    example={"model": "llama-2-7b", "N": 4096},
)
