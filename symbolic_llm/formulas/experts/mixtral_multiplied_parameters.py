"""Weights that a token of a Mixtral is multiplied with

Attention, the whole router, and the few experts it picks: k of E. All tokens of a batch are multiplied with as many,
but not with the same.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.notation import P, n_active, n_blocks
from symbolic_llm.steps import CLAIM, add, cite, multiply
from symbolic_llm.unevaluated import Eq

ROUTED = grouped_attention_parameters.rhs + router_parameters.rhs
ACTIVE = ROUTED + n_active * expert_parameters.rhs

FORMULA = Formula(
    __name__,
    models=(Trait.EXPERTS, Trait.GROUPED),
    claim=Eq(P, n_blocks * ACTIVE + embedding_parameters.rhs),
    uses=(grouped_attention_parameters, router_parameters, expert_parameters, embedding_parameters),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        add(router_parameters, ROUTED, "the scores of all experts"),
        add(
            n_active * expert_parameters.rhs,
            ACTIVE,
            "the experts that are picked",
            measured_by="mixtral/weights.multiplied[*.experts.*](n_blocks=1)",
        ),
        multiply(
            n_blocks,
            n_blocks * ACTIVE,
            "the blocks are all alike",
            measured_by="mixtral/weights.multiplied[blocks.*]",
        ),
        add(embedding_parameters, CLAIM, "the output matrix"),
    ),
    measured_by="mixtral/weights.multiplied",
    sources=("jiang-2024",),
    example={"model": "mixtral-8x7b"},
)
