"""Context beyond which picking tokens computes less

As with bytes: up to what is picked the indexes are work beside, beyond it each further token is met by them and by no
head. This is where both are even.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.attention_flops_per_picked_token import (
    FORMULA as attention_flops_per_picked_token,
)
from symbolic_llm.formulas.sparse_attention.index_flops_per_context_token import (
    FORMULA as index_flops_per_context_token,
)
from symbolic_llm.notation import N_fewer_flops, a_index, a_picked, n_picked
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq, Gt

indexes_are_cheaper = Condition(
    Gt(a_picked, a_index),
    "the indexes of all blocks are less work than attention itself",
    "none: the indexes take as much work as they save",
)

FORMULA = Formula(
    __name__,
    claim=Eq(N_fewer_flops, n_picked * a_picked / (a_picked - a_index)),
    models=(Trait.LATENT, Trait.PICKED),
    where=(indexes_are_cheaper,),
    uses=(attention_flops_per_picked_token, index_flops_per_context_token),
    steps=(
        premise(
            n_picked * a_picked,
            "what attention takes in any longer context",
            measured_by="decode.flops_of_a_sequence[*.attention.scores, *.attention.mix](context=100)",
        ),
        divide(a_picked - a_index, CLAIM, "each token would be met by every head, and is met by the indexes"),
    ),
    measured_by="index.as_many_flops",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2"},
)
