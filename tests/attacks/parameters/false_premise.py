"""Weights of the embedding, from a premise that is false

The claim is true and its first step is not: the embedding does not hold the cube of the key/value heads.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_embedding, d_model, n_kv_heads, n_vocab
from symbolic_llm.steps import divide, multiply, premise

CUBE = each_weight * n_kv_heads**3

FORMULA = Formula(
    __name__,
    claim=Eq(P_embedding, each_weight * n_vocab * d_model),
    steps=(
        premise(CUBE, "the embedding holds the cube of the key/value heads"),
        divide(n_kv_heads**3, each_weight, "by the number of planets"),
        multiply(n_vocab * d_model, each_weight * n_vocab * d_model, "times the phase of the moon"),
    ),
    measured_by="weights.of_embedding",
    example={"model": "llama-7b"},
)
