"""Weights that a token is multiplied with where some blocks have a state

Attention in some blocks, a gated delta rule in the others, a gated MLP in each.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.formulas.decoders.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.states.delta_matrix_parameters import FORMULA as delta_matrix_parameters
from symbolic_llm.notation import P, n_global, n_state
from symbolic_llm.steps import add, cite, multiply
from symbolic_llm.written import Eq

ATTENTION = n_global * grouped_attention_parameters.rhs
STATES = n_state * delta_matrix_parameters.rhs
MLPS = (n_global + n_state) * gated_mlp_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P, ATTENTION + STATES + MLPS + embedding_parameters.rhs),
    models=(Trait.DENSE, Trait.HYBRID, Trait.GROUPED),
    uses=(grouped_attention_parameters, delta_matrix_parameters, gated_mlp_parameters, embedding_parameters),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        multiply(n_global, ATTENTION, "of those that have it", measured_by="hybrid/weights.multiplied[*.attention.*]"),
        add(
            STATES,
            ATTENTION + STATES,
            "a delta rule in the others",
            measured_by="hybrid/weights.multiplied[*.state.*]",
        ),
        add(MLPS, ATTENTION + STATES + MLPS, "an MLP in each", measured_by="hybrid/weights.multiplied[*.mlp.*]"),
        add(embedding_parameters, ATTENTION + STATES + MLPS + embedding_parameters.rhs, "the output matrix"),
    ),
    measured_by="hybrid/weights.multiplied",
    example={
        "n_global": 16, "n_state": 48, "d_model": 5120, "d_head": 256, "n_heads": 24, "n_kv_heads": 4,
        "n_state_groups": 16, "n_state_heads": 48, "d_state_key": 128, "d_state_value": 128, "d_ff": 17408,
        "n_vocab": 248320,
    },
)  # fmt: skip
