"""Bytes of weights that a step reads which uses every expert

Where all weights are stored in one format.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.all_expert_weights_read import FORMULA as all_expert_weights_read
from symbolic_llm.notation import D_weights_all, P_all, n_bytes
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_weights_all, P_all * n_bytes),
    models=(Trait.EXPERTS,),
    uses=(all_expert_weights_read,),
    steps=(
        premise(P_all, "the weights of a step that leaves no expert out", measured_by="weights.read_by_all_experts"),
        multiply(n_bytes, CLAIM, "all of them in the same format"),
    ),
    measured_by="decode.bytes_of_all_weights",
    example={"model": "mixtral-8x7b", "weights": "fp16"},
)
