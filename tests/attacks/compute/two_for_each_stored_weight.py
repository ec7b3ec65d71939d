"""Two operations for each weight that is stored

False of every decoder that stores more than it multiplies: an embedding of its own, norms, experts. That of the
articles does not.
"""

from dataclasses import replace

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.formulas.weights.stored_parameters import FORMULA as stored_parameters
from symbolic_llm.notation import P_total
from symbolic_llm.steps import premise, substitute

ERROR = flops_per_token.steps[0].result

FORMULA = Formula(
    __name__,
    claim=replace(flops_per_token.claim, value=multiply_add * P_total),
    kind=Kind.APPROXIMATION,
    where=flops_per_token.where,
    uses=(stored_parameters, *flops_per_token.uses),
    steps=(
        premise((flops_per_token.claim.exact - multiply_add * P_total) / flops_per_token.claim.exact, "the error"),
        substitute(stored_parameters, ERROR, "nothing is stored that is not multiplied"),
        *flops_per_token.steps[1:],
    ),
    measured_by="schematic/decode.flops_of_a_token",
    example=flops_per_token.example,
)
