"""Parameters of a GPT-2

What it multiplies, a vector for each position, norms with weights and biases, and a bias for every matrix of a block.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.gpt2_multiplied_parameters import FORMULA as gpt2_multiplied_parameters
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.formulas.vectors.query_key_value_biases import FORMULA as query_key_value_biases
from symbolic_llm.formulas.vectors.vector_parameters import FORMULA as vector_parameters
from symbolic_llm.notation import P_total, d_ff, d_model, n_blocks, n_positions, n_vocab
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

with_bias = count(2, "vectors of a LayerNorm: weights and biases")
and_back = count(2, "matrices lead back: from attention and from the MLP")

MATRICES = gpt2_multiplied_parameters.rhs
POSITIONS = embedding_parameters.rhs.xreplace({n_vocab: n_positions})
NORMS = (norms_in_block * n_blocks + 1) * with_bias * vector_parameters.rhs
OUT = and_back * vector_parameters.rhs + vector_parameters.rhs.xreplace({d_model: d_ff})
BIASES = n_blocks * (query_key_value_biases.rhs + OUT)

FORMULA = Formula(
    __name__,
    claim=Eq(P_total, MATRICES + POSITIONS + NORMS + BIASES),
    uses=(
        gpt2_multiplied_parameters,
        embedding_parameters,
        vector_parameters,
        query_key_value_biases,
    ),
    steps=(
        cite(gpt2_multiplied_parameters, "what is multiplied, the embedding among it"),
        add(
            POSITIONS,
            MATRICES + POSITIONS,
            "a vector for each position",
            measured_by="gpt2/weights.stored[*positions*]",
        ),
        add(
            NORMS,
            MATRICES + POSITIONS + NORMS,
            "two norms in a block and one before the output",
            measured_by="gpt2/weights.stored[*norm*]",
        ),
        add(BIASES, CLAIM, "the biases of a block"),
    ),
    measured_by="gpt2/weights.stored",
    sources=("radford-2019", "transformers-count"),
    example={"model": "gpt2"},
)
