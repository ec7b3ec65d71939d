"""Memory that the weights leave

What is not taken by weights is there for the caches.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import weights_fit
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import M, M_left, P_total, n_bytes
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_left, M - P_total * n_bytes),
    where=(weights_fit,),
    uses=(weight_bytes,),
    steps=(premise(M - weight_bytes.rhs, "all memory of the machine without the weights, which are held once"),),
    measured_by="memory.left",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16"},
)
