"""Weights that a token is multiplied with, where heads are of two kinds and experts stand beside MLPs

As in Gemma 4 26B A4B: every block has an MLP and, beside it, a router with the few experts that it picks.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.decoders.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.two_kinds.shared_key_attention_parameters import FORMULA as shared_key_attention_parameters
from symbolic_llm.notation import P, n_active, n_global, n_local
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

LOCAL = n_local * grouped_attention_parameters.rhs
ATTENTION = LOCAL + n_global * shared_key_attention_parameters.rhs
MLPS = (n_local + n_global) * gated_mlp_parameters.rhs
ACTIVE = (n_local + n_global) * (router_parameters.rhs + n_active * expert_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + MLPS + ACTIVE + embedding_parameters.rhs),
    models=(Trait.EXPERTS, Trait.TWOFOLD),
    uses=(
        grouped_attention_parameters,
        shared_key_attention_parameters,
        gated_mlp_parameters,
        router_parameters,
        expert_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(grouped_attention_parameters, "attention of one block with a window"),
        multiply(
            n_local,
            LOCAL,
            "of all of these",
            measured_by="sparse twofold/weights.multiplied[*.attention.*](n_global=0)",
        ),
        add(
            n_global * shared_key_attention_parameters.rhs,
            ATTENTION,
            "and of the others, where one matrix makes keys and values",
            measured_by="sparse twofold/weights.multiplied[*.attention.*](n_local=0)",
        ),
        add(
            MLPS,
            ATTENTION + MLPS,
            "an MLP in each",
            measured_by="sparse twofold/weights.multiplied[*.mlp.gate, *.mlp.up, *.mlp.down]",
        ),
        add(
            ACTIVE,
            ATTENTION + MLPS + ACTIVE,
            "beside it the scores of all experts, and those that are picked",
            measured_by="sparse twofold/weights.multiplied[*.mlp.router, *.mlp.experts.*]",
        ),
        add(embedding_parameters, ATTENTION + MLPS + ACTIVE + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="sparse twofold/weights.multiplied",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b"},
)
