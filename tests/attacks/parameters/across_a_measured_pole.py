"""Weights of the embedding, cancelled where nothing may be cancelled

The claim is true and a step is not: its quotient has no value where n_blocks is 1, and no condition excludes that.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_embedding, d_model, n_blocks, n_vocab
from symbolic_llm.steps import multiply, premise, rewrite

QUOTIENT = each_weight * n_vocab * d_model * (n_blocks - 1) / (n_blocks**2 - n_blocks)

FORMULA = Formula(
    __name__,
    claim=Eq(P_embedding, each_weight * n_vocab * d_model),
    steps=(
        premise(QUOTIENT, "a share of every block"),
        multiply(n_blocks, QUOTIENT * n_blocks, "of all blocks"),
        rewrite(each_weight * n_vocab * d_model, "cancelled"),
    ),
    measured_by="weights.of_embedding",
    example={"model": "llama-7b"},
)
