"""Parameters of a Mixtral

All experts are stored, asked or not.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import FORMULA as mixtral_multiplied_parameters
from symbolic_llm.formulas.experts.mixtral_multiplied_parameters import ROUTED
from symbolic_llm.formulas.shared import in_and_out, norms_in_block
from symbolic_llm.formulas.vectors.vector_parameters import FORMULA as vector_parameters
from symbolic_llm.notation import P_total, n_active, n_blocks, n_experts
from symbolic_llm.steps import CLAIM, add, cite, rewrite
from symbolic_llm.unevaluated import Eq

EMBEDDING = embedding_parameters.rhs
IDLE = n_blocks * (n_experts - n_active) * expert_parameters.rhs
NORMS = (norms_in_block * n_blocks + 1) * vector_parameters.rhs
MULTIPLIED = mixtral_multiplied_parameters.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(P_total, n_blocks * (ROUTED + n_experts * expert_parameters.rhs) + in_and_out * EMBEDDING + NORMS),
    uses=(mixtral_multiplied_parameters, expert_parameters, embedding_parameters, vector_parameters),
    steps=(
        cite(mixtral_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, MULTIPLIED + EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            MULTIPLIED + EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="mixtral/weights.stored[*norm*]",
        ),
        add(IDLE, MULTIPLIED + EMBEDDING + NORMS + IDLE, "the experts it does not pick"),
        rewrite(CLAIM, "collected"),
    ),
    measured_by="mixtral/weights.stored",
    sources=("jiang-2024", "transformers-count"),
    example={"model": "mixtral-8x7b"},
)
