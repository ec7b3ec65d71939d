"""Weights of the embedding

One row for each token of the vocabulary. The schematic model uses the same matrix, transposed, as its output matrix, so
it is stored once and multiplied once for every token.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_embedding, d_model, n_vocab
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_embedding, each_weight * n_vocab * d_model),
    steps=(
        premise(
            each_weight * d_model, "a token's embedding is one vector", measured_by="weights.of_embedding(n_vocab=1)"
        ),
        multiply(n_vocab, CLAIM, "every token of the vocabulary has one"),
    ),
    measured_by="weights.of_embedding",
    sources=("timbers-2023",),
    example={"model": "llama-7b"},
)
