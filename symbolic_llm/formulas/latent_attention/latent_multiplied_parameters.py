"""Weights that a token of a decoder with latent attention is multiplied with

As in DeepSeek's blocks without experts: queries that are not compressed, latent keys and values, a gated MLP. Absorbed
or not, a token meets every matrix once.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.latent_attention.full_query_parameters import FORMULA as full_query_parameters
from symbolic_llm.formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.notation import P, n_blocks
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

BLOCK = latent_key_value_parameters.rhs + full_query_parameters.rhs + gated_mlp_parameters.rhs
OUTPUT = embedding_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, n_blocks * BLOCK + OUTPUT),
    models=(Trait.LATENT, Trait.DENSE),
    uses=(latent_key_value_parameters, full_query_parameters, gated_mlp_parameters, embedding_parameters),
    steps=(
        cite(latent_key_value_parameters, "latent keys and values, and the output of attention"),
        add(full_query_parameters, latent_key_value_parameters.rhs + full_query_parameters.rhs, "queries"),
        add(gated_mlp_parameters, BLOCK, "the MLP"),
        multiply(
            n_blocks,
            n_blocks * BLOCK,
            "the blocks are all alike",
            measured_by="latent/weights.multiplied[blocks.*]",
        ),
        add(embedding_parameters, n_blocks * BLOCK + OUTPUT, "the output matrix"),
    ),
    measured_by="latent/weights.multiplied",
    sources=("deepseek-2024",),
    example={
        "n_blocks": 27,
        "d_model": 2048,
        "n_heads": 16,
        "d_latent": 512,
        "d_rope": 64,
        "d_nope": 128,
        "d_value": 128,
        "d_ff": 10944,
        "n_vocab": 102400,
    },
)
