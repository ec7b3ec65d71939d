"""Attention operations go with the model's width

False where the heads side by side are wider or narrower than the model, as in Qwen3. No condition says so.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score_and_sum
from symbolic_llm.notation import a, d_model, n_blocks
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    claim=Eq(a, score_and_sum * n_blocks * d_model),
    models=(Trait.GROUPED,),
    steps=(
        premise(score_and_sum * d_model, "all heads"),
        multiply(n_blocks, score_and_sum * n_blocks * d_model, "in every layer"),
    ),
    measured_by="attention.flops_per_context_token",
    example={"model": "qwen3-0.6b"},
)
