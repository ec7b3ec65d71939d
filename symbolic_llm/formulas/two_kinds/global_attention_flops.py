"""Attention operations for each token of context in the blocks without a window

Where the two kinds of blocks have heads of two kinds.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score, score_and_sum
from symbolic_llm.notation import a_global, d_head_full, n_global, n_heads
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(a_global, score_and_sum * n_global * n_heads * d_head_full),
    models=(Trait.TWOFOLD,),
    steps=(
        premise(
            score * d_head_full,
            "the score of one head: query times key",
            measured_by="twofold.flops_per_context_token_without_windows[*.scores]"
            "(n_global=1, n_kv_heads=1, n_kv_full=1, group=1)",
        ),
        multiply(
            2,
            score_and_sum * d_head_full,
            "the weighted sum multiplies and adds as many numbers of the value",
            measured_by="twofold.flops_per_context_token_without_windows"
            "(n_global=1, n_kv_heads=1, n_kv_full=1, group=1)",
        ),
        multiply(
            n_heads,
            score_and_sum * n_heads * d_head_full,
            "in every query head",
            measured_by="twofold.flops_per_context_token_without_windows(n_global=1)",
        ),
        multiply(n_global, score_and_sum * n_global * n_heads * d_head_full, "in every block without a window"),
    ),
    measured_by="twofold.flops_per_context_token_without_windows",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b"},
)
