"""Parameters where some blocks have a state and all have experts

As in Qwen3-Next without its shared expert: all experts are stored, asked or not, and of every block with a state its
convolution and its vectors.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.router_parameters import FORMULA as router_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import in_and_out, norms_in_block
from symbolic_llm.formulas.states.convolution_biases import FORMULA as convolution_biases
from symbolic_llm.formulas.states.convolution_parameters import FORMULA as convolution_parameters
from symbolic_llm.formulas.states.delta_vector_parameters import FORMULA as delta_vector_parameters
from symbolic_llm.formulas.states.hybrid_expert_multiplied_parameters import (
    ATTENTION,
    STATES,
)
from symbolic_llm.formulas.states.hybrid_expert_multiplied_parameters import (
    FORMULA as hybrid_expert_multiplied_parameters,
)
from symbolic_llm.notation import P_total, n_active, n_experts, n_global, n_state
from symbolic_llm.steps import add, cite, rewrite
from symbolic_llm.written import Eq

WITH_EMBEDDING = hybrid_expert_multiplied_parameters.rhs + embedding_parameters.rhs
EXPERTS = (n_global + n_state) * (router_parameters.rhs + n_experts * expert_parameters.rhs)
STORED = ATTENTION + STATES + EXPERTS
EMBEDDINGS = in_and_out * embedding_parameters.rhs
IDLE = (n_global + n_state) * (n_experts - n_active) * expert_parameters.rhs
NORMS = (norms_in_block * (n_global + n_state) + 1) * rms_norm_parameters.rhs
OF_STATES = n_state * (convolution_parameters.rhs + convolution_biases.rhs + delta_vector_parameters.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, STORED + EMBEDDINGS + NORMS + OF_STATES),
    models=(Trait.EXPERTS, Trait.HYBRID, Trait.GROUPED),
    uses=(
        hybrid_expert_multiplied_parameters,
        expert_parameters,
        embedding_parameters,
        rms_norm_parameters,
        convolution_parameters,
        convolution_biases,
        delta_vector_parameters,
    ),
    steps=(
        cite(hybrid_expert_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, WITH_EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            WITH_EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="sparse hybrid/weights.stored[*norm_?.*, weights.norm.*]",
        ),
        add(
            OF_STATES,
            WITH_EMBEDDING + NORMS + OF_STATES,
            "taps and biases of the convolution, and the vectors of its heads, in every block with a state",
            measured_by="sparse hybrid/weights.stored"
            "[*.state_taps.*, *.state_shift.*, *.state_decay.*, *.state_norm.*]",
        ),
        add(IDLE, WITH_EMBEDDING + NORMS + OF_STATES + IDLE, "the experts it does not pick"),
        rewrite(STORED + EMBEDDINGS + NORMS + OF_STATES, "collected"),
    ),
    measured_by="sparse hybrid/weights.stored",
    example={**hybrid_expert_multiplied_parameters.example, "n_kernel": 4},
)
