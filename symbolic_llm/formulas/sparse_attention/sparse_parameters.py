"""Parameters where an index picks tokens

As in DeepSeek-V3.2's blocks without experts: what a token is multiplied with, the embedding, two norms in a block and
one before the output, norms of the latent vectors and of the compressed queries, and one of the keys of each index.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_norm_parameters import (
    FORMULA as compressed_query_norm_parameters,
)
from symbolic_llm.formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.formulas.sparse_attention.index_norm_parameters import FORMULA as index_norm_parameters
from symbolic_llm.formulas.sparse_attention.sparse_multiplied_parameters import FORMULA as sparse_multiplied_parameters
from symbolic_llm.notation import P_total, n_blocks, n_index
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

WITH_EMBEDDING = sparse_multiplied_parameters.rhs + embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs
OF_ATTENTION = n_blocks * (latent_norm_parameters.rhs + compressed_query_norm_parameters.rhs)
OF_INDEXES = n_index * index_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, WITH_EMBEDDING + NORMS + OF_ATTENTION + OF_INDEXES),
    models=(Trait.LATENT, Trait.PICKED, Trait.DENSE),
    uses=(
        sparse_multiplied_parameters,
        embedding_parameters,
        rms_norm_parameters,
        latent_norm_parameters,
        compressed_query_norm_parameters,
        index_norm_parameters,
    ),
    steps=(
        cite(sparse_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, WITH_EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            WITH_EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="picked/weights.stored[*.norm_?.*, weights.norm.*]",
        ),
        add(
            OF_ATTENTION,
            WITH_EMBEDDING + NORMS + OF_ATTENTION,
            "norms of latent vectors and of compressed queries in each block",
            measured_by="picked/weights.stored[*.latent_norm.*, *.query_down_norm.*]",
        ),
        add(
            OF_INDEXES,
            WITH_EMBEDDING + NORMS + OF_ATTENTION + OF_INDEXES,
            "a norm of the keys of each index",
            measured_by="picked/weights.stored[*.index_norm.*]",
        ),
    ),
    measured_by="picked/weights.stored",
    sources=("deepseek-v3-2-2025",),
    example=sparse_multiplied_parameters.example,
)
