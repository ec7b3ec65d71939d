"""The cache takes as many bytes as the weights, and that is called a law

False: it grows with context and batch. A law is a model of a machine, and this is a count.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import M_cache
from symbolic_llm.steps import cite

FORMULA = Formula(
    __name__,
    claim=Eq(M_cache, weight_bytes.rhs),
    kind=Kind.LAW,
    uses=(weight_bytes,),
    steps=(cite(weight_bytes, "the bytes"),),
    unmeasured="it follows from weight_bytes",
    example={"model": "llama-7b", "weights": "q4_0"},
)
