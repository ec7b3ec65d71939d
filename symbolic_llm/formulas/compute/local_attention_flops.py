"""Attention operations for each token of context in the blocks with a window

As many as in all blocks, if all have one.
"""

from symbolic_llm.architecture import WITH_WINDOWS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score, score_and_sum
from symbolic_llm.notation import a_local, d_head, n_heads, n_local
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(a_local, score_and_sum * n_local * n_heads * d_head),
    models=(Trait.GROUPED, Trait.UNEQUAL, *WITH_WINDOWS),
    steps=(
        premise(
            score * d_head,
            "the score of one head: query times key",
            measured_by="windows.flops_per_context_token[*.scores](n_local=1, n_kv_heads=1, n_kv_full=1, group=1)",
        ),
        multiply(
            2,
            score_and_sum * d_head,
            "the weighted sum multiplies and adds as many numbers of the value",
            measured_by="windows.flops_per_context_token(n_local=1, n_kv_heads=1, n_kv_full=1, group=1)",
        ),
        multiply(
            n_heads,
            score_and_sum * n_heads * d_head,
            "in every query head",
            measured_by="windows.flops_per_context_token(n_local=1)",
        ),
        multiply(n_local, score_and_sum * n_local * n_heads * d_head, "in every block with a window"),
    ),
    measured_by="windows.flops_per_context_token",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b"},
)
