"""Parameters where some blocks have a state

As in a decoder of gated delta rules without experts: what a token is multiplied with, the embedding, two norms in a
block and one before the output, and of every block with a state its convolution and its vectors.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.formulas.states.convolution_biases import FORMULA as convolution_biases
from symbolic_llm.formulas.states.convolution_parameters import FORMULA as convolution_parameters
from symbolic_llm.formulas.states.delta_vector_parameters import FORMULA as delta_vector_parameters
from symbolic_llm.formulas.states.hybrid_multiplied_parameters import FORMULA as hybrid_multiplied_parameters
from symbolic_llm.notation import P_total, n_global, n_state
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

MULTIPLIED = hybrid_multiplied_parameters.rhs
WITH_EMBEDDING = MULTIPLIED + embedding_parameters.rhs
NORMS = (norms_in_block * (n_global + n_state) + 1) * rms_norm_parameters.rhs
OF_A_STATE = convolution_parameters.rhs + convolution_biases.rhs + delta_vector_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, WITH_EMBEDDING + NORMS + n_state * OF_A_STATE),
    models=(Trait.DENSE, Trait.HYBRID, Trait.GROUPED),
    uses=(
        hybrid_multiplied_parameters,
        embedding_parameters,
        rms_norm_parameters,
        convolution_parameters,
        convolution_biases,
        delta_vector_parameters,
    ),
    steps=(
        cite(hybrid_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, WITH_EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            WITH_EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="hybrid/weights.stored[*norm_?.*, weights.norm.*]",
        ),
        add(
            n_state * OF_A_STATE,
            WITH_EMBEDDING + NORMS + n_state * OF_A_STATE,
            "taps and biases of the convolution, and the vectors of its heads, in every block with a state",
            measured_by="hybrid/weights.stored[*.state_taps.*, *.state_shift.*, *.state_decay.*, *.state_norm.*]",
        ),
    ),
    measured_by="hybrid/weights.stored",
    example={**hybrid_multiplied_parameters.example, "n_kernel": 4},
)
