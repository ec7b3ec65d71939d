"""Bytes of the weights

The size of a model that stores all its weights in one format: what has to fit into memory beside the caches. A decoding
step may read less of them: single rows of an embedding, or only those experts that are picked.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.stored_parameters import FORMULA as stored_parameters
from symbolic_llm.notation import M_weights, P_total, n_bytes
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_weights, P_total * n_bytes),
    uses=(stored_parameters,),
    steps=(
        premise(P_total, "all weights", measured_by="weights.stored"),
        multiply(n_bytes, CLAIM, "every weight is stored in the same format"),
    ),
    measured_by="weights.bytes",
    sources=("timbers-2023", "baseten-2023"),
    example={"model": "llama-7b", "weights": "q4_0"},
)
