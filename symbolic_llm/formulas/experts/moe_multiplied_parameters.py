"""Weights that a token is multiplied with where some blocks have experts

Every block has attention; in n_moe of them a token meets the whole router and the few experts it picks, in the others
a gated MLP, as in Qwen's and DeepSeek's models.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.decoders.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import experts_are_in_blocks
from symbolic_llm.notation import P, n_active, n_blocks, n_moe
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ATTENTION = n_blocks * grouped_attention_parameters.rhs
PICKED = n_moe * (router_parameters.rhs + n_active * expert_parameters.rhs)
MLPS = (n_blocks - n_moe) * gated_mlp_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.EXPERTS, Trait.GROUPED),
    claim=Eq(P, ATTENTION + PICKED + MLPS + embedding_parameters.rhs),
    where=(experts_are_in_blocks,),
    uses=(
        grouped_attention_parameters,
        router_parameters,
        expert_parameters,
        gated_mlp_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        multiply(
            n_blocks,
            ATTENTION,
            "every block has it",
            measured_by="experts/weights.multiplied[*.attention.*]",
        ),
        add(
            PICKED,
            ATTENTION + PICKED,
            "the router and the experts that are picked, in blocks that have them",
            measured_by="experts/weights.multiplied[*.router, *.experts.*]",
        ),
        add(
            MLPS,
            ATTENTION + PICKED + MLPS,
            "the MLP of the other blocks",
            measured_by="experts/weights.multiplied[*.mlp.gate, *.mlp.up, *.mlp.down]",
        ),
        add(embedding_parameters, ATTENTION + PICKED + MLPS + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="experts/weights.multiplied",
    sources=("jiang-2024",),
    example={"model": "qwen3-30b-a3b"},
)
