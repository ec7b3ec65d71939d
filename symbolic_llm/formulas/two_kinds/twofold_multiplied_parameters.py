"""Weights that a token is multiplied with, where heads are of two kinds

As in Gemma 4 without experts: attention of two kinds, a gated MLP in every block, and the output matrix.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.decoders.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.two_kinds.shared_key_attention_parameters import FORMULA as shared_key_attention_parameters
from symbolic_llm.notation import P, n_global, n_local
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

LOCAL = n_local * grouped_attention_parameters.rhs
ATTENTION = LOCAL + n_global * shared_key_attention_parameters.rhs
MLPS = (n_local + n_global) * gated_mlp_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + MLPS + embedding_parameters.rhs),
    models=(Trait.DENSE, Trait.TWOFOLD),
    uses=(
        grouped_attention_parameters,
        shared_key_attention_parameters,
        gated_mlp_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(grouped_attention_parameters, "attention of one block with a window"),
        multiply(
            n_local,
            LOCAL,
            "of all of these",
            measured_by="twofold/weights.multiplied[*.attention.*](n_global=0)",
        ),
        add(
            n_global * shared_key_attention_parameters.rhs,
            ATTENTION,
            "and of the others, where one matrix makes keys and values",
            measured_by="twofold/weights.multiplied[*.attention.*](n_local=0)",
        ),
        add(MLPS, ATTENTION + MLPS, "an MLP in each", measured_by="twofold/weights.multiplied[*.mlp.*]"),
        add(embedding_parameters, ATTENTION + MLPS + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="weights.multiplied",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-31b"},
)
