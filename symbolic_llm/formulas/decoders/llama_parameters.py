"""Parameters of a LLaMA

What it multiplies, an embedding that is not the output matrix, and the weights of its norms. Where embedding and output
matrix are one (tied), the last matrix falls away.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_multiplied_parameters import BLOCK
from symbolic_llm.formulas.decoders.llama_multiplied_parameters import FORMULA as llama_multiplied_parameters
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import in_and_out, norms_in_block
from symbolic_llm.formulas.vectors.vector_parameters import FORMULA as vector_parameters
from symbolic_llm.notation import P_total, n_blocks
from symbolic_llm.steps import CLAIM, add, cite, rewrite
from symbolic_llm.unevaluated import Eq

NORMS = (norms_in_block * n_blocks + 1) * vector_parameters.rhs
MATRICES = n_blocks * BLOCK + in_and_out * embedding_parameters.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(
        P_total,
        n_blocks * (BLOCK + norms_in_block * vector_parameters.rhs)
        + in_and_out * embedding_parameters.rhs
        + vector_parameters.rhs,
    ),
    uses=(llama_multiplied_parameters, vector_parameters, embedding_parameters),
    steps=(
        cite(llama_multiplied_parameters, "what is multiplied"),
        add(embedding_parameters, MATRICES, "the embedding is a matrix of its own"),
        add(NORMS, MATRICES + NORMS, "two norms in a block and one before the output"),
        rewrite(CLAIM, "collected by block"),
    ),
    measured_by="llama/weights.stored",
    sources=("touvron-2023b", "transformers-count"),
    example={"model": "llama-3-8b"},
)
