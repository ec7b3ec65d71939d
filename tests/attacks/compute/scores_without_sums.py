"""Attention operations without the weighted sum

False: two operations for each number of a key and two for each of a value are four.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score
from symbolic_llm.notation import a, d_head, n_blocks, n_heads
from symbolic_llm.steps import multiply, premise

FORMULA = Formula(
    __name__,
    claim=Eq(a, score * n_blocks * n_heads * d_head),
    models=(Trait.GROUPED,),
    steps=(
        premise(score * n_heads * d_head, "in every head"),
        multiply(n_blocks, score * n_blocks * n_heads * d_head, "in every layer"),
    ),
    measured_by="attention.flops_per_context_token",
    example={"model": "llama-2-7b"},
)
