"""Weights that are stored

The decoder of the articles multiplies every weight it stores, because its output matrix is its embedding. Real
decoders store more than they multiply: an embedding of its own, of which a pass reads one row for each token, norms,
biases, and experts that are not asked.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, P_total
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_total, P),
    uses=(total_parameters,),
    steps=(premise(P, "nothing is stored that is not multiplied", measured_by="schematic/weights.multiplied"),),
    measured_by="schematic/weights.stored",
    sources=("timbers-2023",),
    example={"P": 7000000000},
)
