"""Operations of sparse attention

Of one decoded token: its indexes meet every token of the context, attention those that were picked.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.attention_flops_per_picked_token import (
    FORMULA as attention_flops_per_picked_token,
)
from symbolic_llm.formulas.sparse_attention.index_flops_per_context_token import (
    FORMULA as index_flops_per_context_token,
)
from symbolic_llm.formulas.sparse_attention.picked_context import FORMULA as picked_context
from symbolic_llm.notation import C_seq, N, N_picked, a_index, a_picked
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

PICKED = N_picked * a_picked

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_seq, N * a_index + PICKED),
    models=(Trait.LATENT, Trait.PICKED),
    uses=(index_flops_per_context_token, attention_flops_per_picked_token, picked_context),
    steps=(
        premise(a_index, "the indexes, for one token of context", measured_by="index.flops_per_context_token"),
        multiply(
            N,
            N * a_index,
            "for all of them",
            measured_by="decode.flops_of_a_sequence[*.index.*]",
        ),
        add(
            PICKED,
            N * a_index + PICKED,
            "and attention to those that are picked",
            measured_by="decode.flops_of_a_sequence[*.attention.scores, *.attention.mix]",
        ),
    ),
    measured_by="decode.flops_of_a_sequence",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "N": 65536},
)
