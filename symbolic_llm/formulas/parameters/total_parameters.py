"""Parameters of the model

Everything else follows from this number: the bytes to store, the bytes to read for each token, the operations to do
with them. For LLaMA the schematic block misses the real count by one to two and a half percent: LLaMA's MLP has
three matrices, its output matrix is not the embedding, and its norms have weights.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.parameters.block_parameters import FORMULA as block_parameters
from symbolic_llm.notation import P, n_blocks
from symbolic_llm.steps import CLAIM, add, cite, multiply
from symbolic_llm.unevaluated import Eq

BLOCKS = n_blocks * block_parameters.rhs

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.GROUPED),
    claim=Eq(P, BLOCKS + embedding_parameters.rhs),
    uses=(block_parameters, embedding_parameters),
    steps=(
        cite(block_parameters, "one block"),
        multiply(
            n_blocks,
            BLOCKS,
            "the blocks are all alike",
            measured_by="schematic/weights.multiplied[blocks.*]",
        ),
        add(embedding_parameters, CLAIM, "and one embedding for all of them"),
    ),
    measured_by="schematic/weights.multiplied",
    sources=("timbers-2023", "kipply-2022"),
    example={"n_blocks": 32, "d_model": 4096, "n_vocab": 32000},
)
