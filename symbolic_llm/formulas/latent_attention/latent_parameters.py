"""Parameters of a decoder with latent attention

As in DeepSeek's blocks without experts: what a token is multiplied with, the embedding, two norms in a block and one
before the output, and a norm of the latent vectors in every block.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.latent_attention.latent_multiplied_parameters import FORMULA as latent_multiplied_parameters
from symbolic_llm.formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.notation import P_total, n_blocks
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

MULTIPLIED = latent_multiplied_parameters.rhs
EMBEDDING = embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs
LATENT_NORMS = n_blocks * latent_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, MULTIPLIED + EMBEDDING + NORMS + LATENT_NORMS),
    models=(Trait.LATENT, Trait.DENSE),
    uses=(latent_multiplied_parameters, embedding_parameters, rms_norm_parameters, latent_norm_parameters),
    steps=(
        cite(latent_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, MULTIPLIED + EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            MULTIPLIED + EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="latent/weights.stored[*norm*, !*.latent_norm.*]",
        ),
        add(LATENT_NORMS, MULTIPLIED + EMBEDDING + NORMS + LATENT_NORMS, "a norm of the latent vectors in each block"),
    ),
    measured_by="latent/weights.stored",
    sources=("deepseek-2024",),
    example=latent_multiplied_parameters.example,
)
