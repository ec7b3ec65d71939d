"""Attention operations for each token of context, where some blocks have a state"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score, score_and_sum
from symbolic_llm.notation import a, d_head, n_global, n_heads
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(a, score_and_sum * n_global * n_heads * d_head),
    models=(Trait.HYBRID, Trait.GROUPED),
    steps=(
        premise(
            score * d_head,
            "the score of one head: query times key",
            measured_by="state.flops_per_context_token[*.scores](n_global=1, n_kv_heads=1, group=1)",
        ),
        multiply(
            2,
            score_and_sum * d_head,
            "the weighted sum multiplies and adds as many numbers of the value",
            measured_by="state.flops_per_context_token(n_global=1, n_kv_heads=1, group=1)",
        ),
        multiply(
            n_heads,
            score_and_sum * n_heads * d_head,
            "in every head",
            measured_by="state.flops_per_context_token(n_global=1)",
        ),
        multiply(n_global, score_and_sum * n_global * n_heads * d_head, "in every block that attends"),
    ),
    measured_by="state.flops_per_context_token",
    example={"model": "qwen3-next-80b-a3b"},
)
