"""Weights that a decoding step reads

Those that a token is multiplied with, once for the whole batch. Only where tokens pick experts do the sequences of a
batch read more between them than each is multiplied with.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, P_read
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_read, P),
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(premise(P, "every weight is read once", measured_by="weights.read"),),
    measured_by="weights.read",
    sources=("timbers-2023",),
    example={"model": "llama-2-7b"},
)
