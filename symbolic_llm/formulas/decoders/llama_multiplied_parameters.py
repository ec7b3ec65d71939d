"""Weights that a LLaMA multiplies

Grouped-query attention and a gated MLP in every block, and an output matrix. Mistral and Qwen 2.5 multiply the same.
The embedding is not among them: of it a pass reads one row for each token.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.mlp.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from symbolic_llm.notation import P, n_blocks
from symbolic_llm.steps import CLAIM, add, cite, multiply
from symbolic_llm.unevaluated import Eq

BLOCK = grouped_attention_parameters.rhs + gated_mlp_parameters.rhs

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.GROUPED),
    claim=Eq(P, n_blocks * BLOCK + embedding_parameters.rhs),
    uses=(grouped_attention_parameters, gated_mlp_parameters, embedding_parameters),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        add(gated_mlp_parameters, BLOCK, "its MLP"),
        multiply(
            n_blocks,
            n_blocks * BLOCK,
            "the blocks are all alike",
            measured_by="llama/weights.multiplied[blocks.*]",
        ),
        add(embedding_parameters, CLAIM, "the output matrix, wide as the embedding"),
    ),
    measured_by="llama/weights.multiplied",
    sources=("touvron-2023b",),
    example={"model": "llama-3-8b"},
)
