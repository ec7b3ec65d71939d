"""Weights that a token is multiplied with where an index picks tokens

As in DeepSeek-V3.2's blocks without experts: compressed queries, latent keys and values, a gated MLP; and an index in
those blocks that have one of their own.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.sparse_attention.index_parameters import FORMULA as index_parameters
from symbolic_llm.notation import P, n_blocks, n_index
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ATTENTION = latent_key_value_parameters.rhs + compressed_query_parameters.rhs
BLOCKS = n_blocks * (ATTENTION + gated_mlp_parameters.rhs)
INDEXES = n_index * index_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, BLOCKS + INDEXES + embedding_parameters.rhs),
    models=(Trait.LATENT, Trait.PICKED, Trait.DENSE),
    uses=(
        latent_key_value_parameters,
        compressed_query_parameters,
        gated_mlp_parameters,
        index_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(latent_key_value_parameters, "latent keys and values, and the output of attention"),
        add(compressed_query_parameters, ATTENTION, "compressed queries"),
        add(gated_mlp_parameters, ATTENTION + gated_mlp_parameters.rhs, "the MLP"),
        multiply(
            n_blocks, BLOCKS, "of every block", measured_by="picked/weights.multiplied[blocks.*, !*.index.*]"
        ),
        add(INDEXES, BLOCKS + INDEXES, "the indexes there are", measured_by="picked/weights.multiplied[*.index.*]"),
        add(embedding_parameters, BLOCKS + INDEXES + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="picked/weights.multiplied",
    sources=("deepseek-v3-2-2025",),
    example={
        "n_blocks": 61, "n_index": 61, "d_model": 7168, "n_heads": 128, "d_latent": 512, "d_rope": 64, "d_nope": 128,
        "d_value": 128, "d_query": 1536, "d_ff": 18432, "n_vocab": 129280, "n_index_heads": 64, "d_index": 128,
    },
)  # fmt: skip
