"""Parameters where runs are compressed

As in DeepSeek-V4: what a token is multiplied with, the experts that it is not sent to, the embedding, the norms before
each layer, and the vectors beside the matrices of attention and of the streams.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.compressed_multiplied_parameters import (
    FORMULA as compressed_multiplied_parameters,
)
from symbolic_llm.formulas.compressed_attention.compressed_multiplied_parameters import RUNS, shared_expert
from symbolic_llm.formulas.compressed_attention.compression_vector_parameters import (
    FORMULA as compression_vector_parameters,
)
from symbolic_llm.formulas.compressed_attention.stream_parameters import FORMULA as stream_parameters
from symbolic_llm.formulas.compressed_attention.stream_vector_parameters import FORMULA as stream_vector_parameters
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import in_and_out, norms_in_block
from symbolic_llm.notation import P_total, n_active, n_blocks, n_experts
from symbolic_llm.steps import add, cite, rewrite
from symbolic_llm.written import Eq

MATRICES = compressed_multiplied_parameters.rhs + embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs
WITH_NORMS = MATRICES + NORMS
WITH_ATTENTION = WITH_NORMS + compression_vector_parameters.rhs
VECTORS = WITH_ATTENTION + stream_vector_parameters.rhs
PASSED_BY = n_blocks * (n_experts - n_active) * expert_parameters.rhs
EXPERTS = n_blocks * (router_parameters.rhs + (n_experts + shared_expert) * expert_parameters.rhs)
EMBEDDINGS = in_and_out * embedding_parameters.rhs
BESIDE = NORMS + compression_vector_parameters.rhs + stream_vector_parameters.rhs
COLLECTED = RUNS + stream_parameters.rhs + EXPERTS + EMBEDDINGS + BESIDE

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, COLLECTED),
    models=(Trait.SHARED, Trait.COMPRESSED, Trait.EXPERTS),
    uses=(
        compressed_multiplied_parameters,
        embedding_parameters,
        rms_norm_parameters,
        compression_vector_parameters,
        stream_vector_parameters,
        stream_parameters,
        router_parameters,
        expert_parameters,
    ),
    steps=(
        cite(compressed_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, MATRICES, "the embedding is a matrix of its own"),
        add(
            NORMS,
            WITH_NORMS,
            "two norms in a block and one before the output",
            measured_by="compressing/weights.stored[*.norm_?.*, weights.norm.*]",
        ),
        add(compression_vector_parameters, WITH_ATTENTION, "vectors of attention"),
        add(stream_vector_parameters, VECTORS, "and those of the streams"),
        add(PASSED_BY, VECTORS + PASSED_BY, "the experts that a token is not sent to"),
        rewrite(COLLECTED, "collected"),
    ),
    measured_by="compressing/weights.stored",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
