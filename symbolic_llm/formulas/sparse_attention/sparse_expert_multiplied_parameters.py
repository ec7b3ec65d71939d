"""Weights that a token is multiplied with where an index picks tokens and some blocks have experts

As in DeepSeek-V3.2 without its shared expert: attention in every block, an index in those that have one of their own; a
plain MLP in some blocks, a router and the few experts that it picks in the others.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import experts_are_in_blocks
from symbolic_llm.formulas.sparse_attention.index_parameters import FORMULA as index_parameters
from symbolic_llm.notation import P, n_active, n_blocks, n_index, n_moe
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ONE = latent_key_value_parameters.rhs + compressed_query_parameters.rhs
ATTENTION = n_blocks * ONE
INDEXES = n_index * index_parameters.rhs
MLPS = (n_blocks - n_moe) * gated_mlp_parameters.rhs
ACTIVE = n_moe * (router_parameters.rhs + n_active * expert_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + INDEXES + MLPS + ACTIVE + embedding_parameters.rhs),
    where=(experts_are_in_blocks,),
    models=(Trait.LATENT, Trait.PICKED, Trait.EXPERTS),
    uses=(
        latent_key_value_parameters,
        compressed_query_parameters,
        index_parameters,
        gated_mlp_parameters,
        router_parameters,
        expert_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(latent_key_value_parameters, "latent keys and values, and the output of attention"),
        add(compressed_query_parameters, ONE, "compressed queries"),
        multiply(
            n_blocks,
            ATTENTION,
            "in every block",
            measured_by="picked experts/weights.multiplied[*.attention.*, !*.index.*]",
        ),
        add(
            INDEXES,
            ATTENTION + INDEXES,
            "the indexes there are",
            measured_by="picked experts/weights.multiplied[*.index.*]",
        ),
        add(
            MLPS,
            ATTENTION + INDEXES + MLPS,
            "an MLP in the blocks without experts",
            measured_by="picked experts/weights.multiplied[*.mlp.gate, *.mlp.up, *.mlp.down]",
        ),
        add(
            ACTIVE,
            ATTENTION + INDEXES + MLPS + ACTIVE,
            "in the others the scores of all experts, and those that are picked",
            measured_by="picked experts/weights.multiplied[*.mlp.router, *.mlp.experts.*]",
        ),
        add(embedding_parameters, ATTENTION + INDEXES + MLPS + ACTIVE + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="picked experts/weights.multiplied",
    sources=("deepseek-v3-2-2025",),
    example={
        "n_blocks": 61, "n_index": 61, "d_model": 7168, "n_heads": 128, "d_latent": 512, "d_rope": 64, "d_nope": 128,
        "d_value": 128, "d_query": 1536, "d_ff": 18432, "n_vocab": 129280, "n_index_heads": 64, "d_index": 128,
        "n_moe": 58, "n_experts": 256, "n_active": 8, "d_expert": 2048,
    },
)  # fmt: skip
