"""Parameters where heads are of two kinds

As in a decoder whose blocks have two norms each and no norms of queries and keys: what a token is multiplied with, the
embedding, two norms in a block and one before the output. Of Gemma 4, which has more norms, ask for P_total.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from symbolic_llm.formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import norms_in_block
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import FORMULA as twofold_multiplied_parameters
from symbolic_llm.notation import P_total, n_global, n_local
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

WITH_EMBEDDING = twofold_multiplied_parameters.rhs + embedding_parameters.rhs
NORMS = (norms_in_block * (n_local + n_global) + 1) * rms_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, WITH_EMBEDDING + NORMS),
    models=(Trait.DENSE, Trait.TWOFOLD),
    uses=(twofold_multiplied_parameters, embedding_parameters, rms_norm_parameters),
    steps=(
        cite(twofold_multiplied_parameters, "what a token is multiplied with"),
        add(embedding_parameters, WITH_EMBEDDING, "the embedding is a matrix of its own"),
        add(
            NORMS,
            WITH_EMBEDDING + NORMS,
            "two norms in a block and one before the output",
            measured_by="twofold/weights.stored[*norm*]",
        ),
    ),
    measured_by="weights.stored",
    example={
        "n_global": 10, "n_local": 50, "d_model": 5376, "d_head": 256, "n_heads": 32, "n_kv_heads": 16,
        "d_head_full": 512, "n_kv_full": 4, "d_ff": 21504, "n_vocab": 262144,
    },
)  # fmt: skip
