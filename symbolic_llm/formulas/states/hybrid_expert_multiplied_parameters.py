"""Weights that a token is multiplied with where some blocks have a state and all have experts

As in Qwen3-Next without its shared expert: attention in some blocks, a gated delta rule in the others, in each a router
and the few experts that it picks.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.states.delta_matrix_parameters import FORMULA as delta_matrix_parameters
from symbolic_llm.notation import P, n_active, n_global, n_state
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ATTENTION = n_global * grouped_attention_parameters.rhs
STATES = n_state * delta_matrix_parameters.rhs
ACTIVE = (n_global + n_state) * (router_parameters.rhs + n_active * expert_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + STATES + ACTIVE + embedding_parameters.rhs),
    models=(Trait.EXPERTS, Trait.HYBRID, Trait.GROUPED),
    uses=(
        grouped_attention_parameters,
        delta_matrix_parameters,
        router_parameters,
        expert_parameters,
        embedding_parameters,
    ),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        multiply(
            n_global, ATTENTION, "of those that have it", measured_by="sparse hybrid/weights.multiplied[*.attention.*]"
        ),
        add(
            STATES,
            ATTENTION + STATES,
            "a delta rule in the others",
            measured_by="sparse hybrid/weights.multiplied[*.state.*]",
        ),
        add(
            ACTIVE,
            ATTENTION + STATES + ACTIVE,
            "in each the scores of all experts, and those that are picked",
            measured_by="sparse hybrid/weights.multiplied[*.mlp.*]",
        ),
        add(embedding_parameters, ATTENTION + STATES + ACTIVE + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="sparse hybrid/weights.multiplied",
    example={"model": "qwen3-next-80b-a3b"},
)
