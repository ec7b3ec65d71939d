"""Parameters of a decoder with latent attention and experts

As in DeepSeek-V3: what a token is multiplied with, the experts that it is not sent to, the embedding, two norms in a
block and one before the output, and in every block norms of latent vectors and of compressed queries.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_norm_parameters import (
    FORMULA as compressed_query_norm_parameters,
)
from symbolic_llm.formulas.latent_attention.latent_expert_multiplied_parameters import (
    FORMULA as latent_expert_multiplied_parameters,
)
from symbolic_llm.formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.notation import P, P_total, n_active, n_blocks, n_experts, n_moe
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

PASSED_BY = n_moe * (n_experts - n_active) * expert_parameters.rhs
MATRICES = P + embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs
OF_ATTENTION = n_blocks * (latent_norm_parameters.rhs + compressed_query_norm_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, MATRICES + NORMS + OF_ATTENTION + PASSED_BY),
    models=(Trait.LATENT, Trait.EXPERTS, Trait.FULL),
    uses=(
        latent_expert_multiplied_parameters,
        expert_parameters,
        embedding_parameters,
        rms_norm_parameters,
        latent_norm_parameters,
        compressed_query_norm_parameters,
    ),
    steps=(
        premise(
            P,
            "what a token is multiplied with",
            measured_by="split latent experts/weights.multiplied",
        ),
        add(embedding_parameters, MATRICES, "the embedding is a matrix of its own"),
        add(
            NORMS,
            MATRICES + NORMS,
            "two norms in a block and one before the output",
            measured_by="split latent experts/weights.stored[*.norm_?.*, weights.norm.*]",
        ),
        add(
            OF_ATTENTION,
            MATRICES + NORMS + OF_ATTENTION,
            "norms of latent vectors and of compressed queries in each block",
            measured_by="split latent experts/weights.stored[*.latent_norm.*, *.query_down_norm.*]",
        ),
        add(PASSED_BY, MATRICES + NORMS + OF_ATTENTION + PASSED_BY, "the experts that a token is not sent to"),
    ),
    measured_by="split latent experts/weights.stored",
    sources=("deepseek-v3-2024",),
    example={
        "P": 36_624_596_992, "n_blocks": 61, "d_model": 7168, "d_latent": 512, "d_query": 1536, "n_vocab": 129280,
        "n_moe": 58, "n_experts": 256, "n_active": 8, "d_expert": 2048,
    },
)  # fmt: skip
