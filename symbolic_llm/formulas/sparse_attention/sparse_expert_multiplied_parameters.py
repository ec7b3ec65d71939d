"""Weights that a token is multiplied with where an index picks tokens and all blocks have experts

As in DeepSeek-V3.2 without its shared expert and its first blocks: in every block attention, a router and the few
experts that it picks; and an index in those blocks that have one of their own.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.sparse_attention.index_parameters import FORMULA as index_parameters
from symbolic_llm.notation import P, n_active, n_blocks, n_index
from symbolic_llm.steps import add, cite, multiply

ATTENTION = latent_key_value_parameters.rhs + compressed_query_parameters.rhs
ACTIVE = router_parameters.rhs + n_active * expert_parameters.rhs
BLOCKS = n_blocks * (ATTENTION + ACTIVE)
INDEXES = n_index * index_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, BLOCKS + INDEXES + embedding_parameters.rhs),
    models=(Trait.LATENT, Trait.PICKED, Trait.EXPERTS),
    uses=(
        latent_key_value_parameters,
        compressed_query_parameters,
        router_parameters,
        expert_parameters,
        index_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(latent_key_value_parameters, "latent keys and values, and the output of attention"),
        add(compressed_query_parameters, ATTENTION, "compressed queries"),
        add(
            ACTIVE,
            ATTENTION + ACTIVE,
            "the scores of all experts, and those that are picked",
            measured_by="index.multiplied_of_experts[*.mlp.*](n_index=1, n_follow=0)",
        ),
        multiply(n_blocks, BLOCKS, "in every block", measured_by="index.multiplied_of_experts[blocks.*, !*.index.*]"),
        add(INDEXES, BLOCKS + INDEXES, "the indexes there are", measured_by="index.multiplied_of_experts[*.index.*]"),
        add(embedding_parameters, BLOCKS + INDEXES + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="index.multiplied_of_experts",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2"},
)
