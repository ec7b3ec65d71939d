"""Weights that a token of a decoder with latent attention and experts is multiplied with

As in DeepSeek-V3: compressed queries and latent keys and values in every block; a gated MLP in the first blocks, in the
others a router, the experts that it picks and those that every token is sent to.
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
from symbolic_llm.notation import P, n_active, n_blocks, n_moe, n_shared_experts
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ONE = latent_key_value_parameters.rhs + compressed_query_parameters.rhs
ATTENTION = n_blocks * ONE
MLPS = (n_blocks - n_moe) * gated_mlp_parameters.rhs
ACTIVE = n_moe * (router_parameters.rhs + (n_active + n_shared_experts) * expert_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + MLPS + ACTIVE + embedding_parameters.rhs),
    where=(experts_are_in_blocks,),
    models=(Trait.LATENT, Trait.EXPERTS, Trait.FULL),
    uses=(
        latent_key_value_parameters,
        compressed_query_parameters,
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
            measured_by="split latent experts/weights.multiplied[*.attention.*]",
        ),
        add(
            MLPS,
            ATTENTION + MLPS,
            "an MLP in the blocks without experts",
            measured_by="split latent experts/weights.multiplied[*.mlp.gate, *.mlp.up, *.mlp.down]",
        ),
        add(
            ACTIVE,
            ATTENTION + MLPS + ACTIVE,
            "in the others the scores of all experts, those that are picked and those that are shared",
            measured_by="split latent experts/weights.multiplied[*.mlp.router, *.mlp.experts.*, *.mlp.shared.*]",
        ),
        add(embedding_parameters, ATTENTION + MLPS + ACTIVE + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="split latent experts/weights.multiplied",
    sources=("deepseek-v3-2024",),
    example={
        "n_blocks": 61, "d_model": 7168, "n_heads": 128, "d_latent": 512, "d_rope": 64, "d_nope": 128,
        "d_value": 128, "d_query": 1536, "d_ff": 18432, "n_vocab": 129280, "n_moe": 58, "n_experts": 256,
        "n_active": 8, "n_shared_experts": 1, "d_expert": 2048,
    },
)  # fmt: skip
