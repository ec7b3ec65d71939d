"""Weights that are multiplied, from the bytes of those that are stored

False for decoders that store more than they multiply; and the bytes were computed from the weights.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import M_weights, P, n_bytes
from symbolic_llm.steps import divide, premise

FORMULA = Formula(
    __name__,
    claim=Eq(P, M_weights / n_bytes),
    kind=Kind.LAW,
    uses=(weight_bytes,),
    steps=(premise(M_weights, "all bytes"), divide(n_bytes, M_weights / n_bytes, "for each weight")),
    measured_by="schematic/weights.multiplied",
    example={"M_weights": 7, "n_bytes": 2},
)
