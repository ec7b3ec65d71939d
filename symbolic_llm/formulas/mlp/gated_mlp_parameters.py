"""Weights of a gated MLP

Three matrices: the gate and the widening one, whose outputs are multiplied, and the one that leads back. With SiLU as
the activation of the gate it is called SwiGLU. Its width is free; it is no multiple of the model's.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, three_matrices
from symbolic_llm.notation import P_mlp, d_ff, d_model
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_mlp, three_matrices * each_weight * d_model * d_ff),
    steps=(
        premise(each_weight * d_model * d_ff, "the matrix that widens", measured_by="weights.of_mlp[*.up]"),
        multiply(three_matrices, CLAIM, "the gate has the same shape, the way back the transposed one"),
    ),
    measured_by="weights.of_mlp",
    sources=("shazeer-2020",),
    example={"model": "llama-3-8b"},
)
