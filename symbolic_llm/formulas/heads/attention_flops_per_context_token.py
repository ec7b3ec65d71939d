"""Attention operations for each token of context

What a new token computes with one key and one value, over all heads and layers: the products only, without the
softmax. Grouping the heads makes the cache smaller, not this: every query head meets every key.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score, score_and_sum
from symbolic_llm.notation import a, d_head, n_blocks, n_heads
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    models=(Trait.GROUPED, *STATELESS),
    claim=Eq(a, score_and_sum * n_blocks * n_heads * d_head),
    steps=(
        premise(
            score * d_head,
            "the score of one head: query times key",
            measured_by="llama/attention.flops_per_context_token[*.scores](n_blocks=1, n_kv_heads=1, group=1)",
        ),
        multiply(
            2,
            score_and_sum * d_head,
            "the weighted sum multiplies and adds as many numbers of the value",
            measured_by="llama/attention.flops_per_context_token(n_blocks=1, n_kv_heads=1, group=1)",
        ),
        multiply(
            n_heads,
            score_and_sum * n_heads * d_head,
            "in every head",
            measured_by="llama/attention.flops_per_context_token(n_blocks=1)",
        ),
        multiply(n_blocks, CLAIM, "in every layer"),
    ),
    measured_by="attention.flops_per_context_token",
    example={"model": "llama-2-7b"},
)
