"""The weights that are multiplied take all the bytes

False for decoders that store more than they multiply, an embedding or idle experts for instance.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import M_weights, P, n_bytes
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    claim=Eq(M_weights, P * n_bytes),
    uses=(total_parameters,),
    steps=(
        premise(P, "all weights", measured_by="schematic/weights.stored"),
        multiply(n_bytes, P * n_bytes, "every weight is stored in the same format"),
    ),
    measured_by="weights.bytes",
    example={"model": "llama-7b", "weights": "q4_0"},
)
