"""Weights of norms over all heads

OLMo 2 and MiniMax M2 normalise all queries of a token together, and all its keys, before they are taken apart into
heads. Norms that each head has of its own weigh as much.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_qk_norm, d_head, n_heads, n_kv_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

KEYS = each_weight * d_head * n_kv_heads

FORMULA = Formula(
    __name__,
    claim=Eq(P_qk_norm, each_weight * d_head * (n_heads + n_kv_heads)),
    steps=(
        premise(
            each_weight * d_head,
            "one weight for each number of a head's query",
            measured_by="weights.of_joint_norms[*.query_norm.*](n_kv_heads=1, group=1)",
        ),
        multiply(
            n_heads,
            each_weight * d_head * n_heads,
            "all heads stand side by side",
            measured_by="weights.of_joint_norms[*.query_norm.*]",
        ),
        add(KEYS, CLAIM, "and so do the keys of all groups"),
    ),
    measured_by="weights.of_joint_norms",
    sources=("olmo-2024",),
    example={"n_heads": 40, "n_kv_heads": 8, "d_head": 128},
)
