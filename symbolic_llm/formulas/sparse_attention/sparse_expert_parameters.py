"""Parameters where an index picks tokens and some blocks have experts

As in DeepSeek-V3.2 without its shared expert: what a token is multiplied with, the experts that it is not sent to, the
embedding, and the norms of sparse_parameters.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_norm_parameters import (
    FORMULA as compressed_query_norm_parameters,
)
from symbolic_llm.formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import experts_are_in_blocks, in_and_out, norms_in_block
from symbolic_llm.formulas.sparse_attention.index_norm_parameters import FORMULA as index_norm_parameters
from symbolic_llm.formulas.sparse_attention.sparse_expert_multiplied_parameters import (
    ATTENTION,
    INDEXES,
    MLPS,
)
from symbolic_llm.formulas.sparse_attention.sparse_expert_multiplied_parameters import (
    FORMULA as sparse_expert_multiplied_parameters,
)
from symbolic_llm.notation import P_total, n_active, n_blocks, n_experts, n_index, n_moe
from symbolic_llm.steps import add, cite, rewrite
from symbolic_llm.written import Eq

MULTIPLIED = sparse_expert_multiplied_parameters.rhs
PASSED_BY = n_moe * (n_experts - n_active) * expert_parameters.rhs
MATRICES = MULTIPLIED + embedding_parameters.rhs
STORED = ATTENTION + INDEXES + MLPS + n_moe * (router_parameters.rhs + n_experts * expert_parameters.rhs)
EMBEDDINGS = in_and_out * embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs
OF_ATTENTION = n_blocks * (latent_norm_parameters.rhs + compressed_query_norm_parameters.rhs)
OF_INDEXES = n_index * index_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, STORED + EMBEDDINGS + NORMS + OF_ATTENTION + OF_INDEXES),
    where=(experts_are_in_blocks,),
    models=(Trait.LATENT, Trait.PICKED, Trait.EXPERTS),
    uses=(
        sparse_expert_multiplied_parameters,
        expert_parameters,
        embedding_parameters,
        rms_norm_parameters,
        latent_norm_parameters,
        compressed_query_norm_parameters,
        index_norm_parameters,
    ),
    steps=(
        cite(sparse_expert_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, MATRICES, "the embedding is a matrix of its own"),
        add(
            NORMS,
            MATRICES + NORMS,
            "two norms in a block and one before the output",
            measured_by="picked experts/weights.stored[*.norm_?.*, weights.norm.*]",
        ),
        add(
            OF_ATTENTION,
            MATRICES + NORMS + OF_ATTENTION,
            "norms of latent vectors and of compressed queries in each block",
            measured_by="picked experts/weights.stored[*.latent_norm.*, *.query_down_norm.*]",
        ),
        add(
            OF_INDEXES,
            MATRICES + NORMS + OF_ATTENTION + OF_INDEXES,
            "a norm of the keys of each index",
            measured_by="picked experts/weights.stored[*.index_norm.*]",
        ),
        add(
            PASSED_BY,
            MATRICES + NORMS + OF_ATTENTION + OF_INDEXES + PASSED_BY,
            "the experts that a token is not sent to",
        ),
        rewrite(STORED + EMBEDDINGS + NORMS + OF_ATTENTION + OF_INDEXES, "collected"),
    ),
    measured_by="picked experts/weights.stored",
    sources=("deepseek-v3-2-2025",),
    example={
        name: value for name, value in sparse_expert_multiplied_parameters.example.items() if name != n_active.name
    },
)
