"""Weights of a gate over attention

Qwen3-Next weighs each number that attention gives by one that the token itself says, through a matrix as large as that
of the queries.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_gate, d_head, d_model, n_heads
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_gate, each_weight * d_model * d_head * n_heads),
    steps=(
        premise(
            each_weight * d_model * d_head,
            "a row for each number of a head",
            measured_by="weights.of_attention_gate(n_kv_heads=1, group=1)",
        ),
        multiply(n_heads, CLAIM, "every head has its own"),
    ),
    measured_by="weights.of_attention_gate",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b"},
)
