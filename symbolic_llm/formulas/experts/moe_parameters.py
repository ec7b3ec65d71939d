"""Parameters where some blocks have experts

All experts are stored, asked or not; so are the embedding, which no token is multiplied with, and the norms.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.moe_multiplied_parameters import FORMULA as moe_multiplied_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block, picked_from_all
from symbolic_llm.notation import P_total, n_active, n_blocks, n_experts, n_moe
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

MULTIPLIED = moe_multiplied_parameters.rhs
IDLE = n_moe * (n_experts - n_active) * expert_parameters.rhs
EMBEDDING = embedding_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * rms_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.EXPERTS, Trait.GROUPED),
    claim=Eq(P_total, MULTIPLIED + IDLE + EMBEDDING + NORMS),
    where=(picked_from_all,),
    uses=(moe_multiplied_parameters, expert_parameters, embedding_parameters, rms_norm_parameters),
    steps=(
        cite(moe_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, MULTIPLIED + EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            MULTIPLIED + EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="experts/weights.stored[*norm*]",
        ),
        add(IDLE, MULTIPLIED + IDLE + EMBEDDING + NORMS, "the experts it does not pick"),
    ),
    measured_by="experts/weights.stored",
    sources=("jiang-2024", "transformers-count"),
    example={"model": "mixtral-8x7b"},
)
