"""Biases of the output matrix

GPT-J has them, hardly any other decoder does.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_bias, n_vocab
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_bias, each_weight * n_vocab),
    steps=(premise(each_weight * n_vocab, "one for each token of the vocabulary"),),
    measured_by="weights.of_vocabulary_biases",
    sources=("transformers-count",),
    example={"model": "gpt-j-6b"},
)
