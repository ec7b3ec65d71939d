"""Weights that a GPT-2 multiplies

Attention and an MLP of two matrices in every block, and the embedding, which is the output matrix too. The widths are
left free: OPT and GPT-NeoX multiply the same.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.mlp.plain_mlp_parameters import FORMULA as plain_mlp_parameters
from symbolic_llm.notation import P, n_blocks
from symbolic_llm.steps import CLAIM, add, cite, multiply
from symbolic_llm.unevaluated import Eq

BLOCK = grouped_attention_parameters.rhs + plain_mlp_parameters.rhs

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.GROUPED),
    claim=Eq(P, n_blocks * BLOCK + embedding_parameters.rhs),
    uses=(grouped_attention_parameters, plain_mlp_parameters, embedding_parameters),
    steps=(
        cite(grouped_attention_parameters, "attention of one block"),
        add(plain_mlp_parameters, BLOCK, "its MLP"),
        multiply(
            n_blocks,
            n_blocks * BLOCK,
            "the blocks are all alike",
            measured_by="gpt2/weights.multiplied[blocks.*]",
        ),
        add(embedding_parameters, CLAIM, "the output matrix, wide as the embedding"),
    ),
    measured_by="gpt2/weights.multiplied",
    sources=("radford-2019",),
    example={"model": "gpt2"},
)
