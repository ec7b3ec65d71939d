"""Weights of the embedding, by a quotient that has no value for three tokens

Wrong where the vocabulary has three tokens: nothing is divided by nothing there.
"""

from sympy import Eq, Mul, Pow

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_embedding, d_model, n_vocab
from symbolic_llm.steps import premise

NOTHING = n_vocab**2 - 3 * n_vocab
QUOTIENT = Mul(each_weight * n_vocab * d_model * NOTHING, Pow(NOTHING, -1, evaluate=False), evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Eq(P_embedding, QUOTIENT, evaluate=False),
    steps=(premise(QUOTIENT, "a row for each token"),),
    measured_by="weights.of_embedding",
    example={"model": "llama-7b"},
)
