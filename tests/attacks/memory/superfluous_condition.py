"""Bytes of the weights, where a token picks among the experts there are

The condition has nothing to do with the claim, which holds without it: whoever asks about a dense model is refused.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import picked_from_all
from symbolic_llm.formulas.weights.stored_parameters import FORMULA as stored_parameters
from symbolic_llm.notation import M_weights, P_total, n_bytes
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    claim=Eq(M_weights, P_total * n_bytes),
    where=(picked_from_all,),
    uses=(stored_parameters,),
    steps=(
        premise(P_total, "all weights", measured_by="schematic/weights.stored"),
        multiply(n_bytes, P_total * n_bytes, "every weight is stored in the same format"),
    ),
    measured_by="weights.bytes",
    example={"model": "mixtral-8x7b", "weights": "q4_0"},
)
