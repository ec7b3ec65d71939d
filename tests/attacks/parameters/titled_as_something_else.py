"""KV cache of a GPT-5 in megabytes

The words are false and the formula is true: it is the embedding's. Source and example do not exist.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_embedding, d_model, n_vocab
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    claim=Eq(P_embedding, each_weight * n_vocab * d_model),
    steps=(
        premise(
            each_weight * d_model, "a token's vector is a square matrix", measured_by="weights.of_embedding(n_vocab=1)"
        ),
        multiply(n_vocab, each_weight * n_vocab * d_model, "every token has three"),
    ),
    measured_by="weights.of_embedding",
    sources=("no-such-source",),
    example={"model": "no-such-model"},
)
