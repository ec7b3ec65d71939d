"""Weights of the attention matrices where there is one head

True, and it says where: four square matrices as wide as the head.
"""

from sympy import Eq

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, heads_fill_model
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise, substitute

four = count(4, "matrices: query, key, value and output")
one_head = Condition(Eq(n_heads, 1, evaluate=False), "there is one head")

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, four * each_weight * d_head**2),
    where=(one_head, heads_fill_model),
    steps=(
        premise(
            each_weight * d_model * d_head,
            "the queries of one head",
            measured_by="schematic/weights.of_attention[*.query](n_kv_heads=1, group=1)",
        ),
        substitute(heads_fill_model, each_weight * n_heads * d_head**2, "the heads share the model's width"),
        substitute(one_head, each_weight * d_head**2, "and there is one"),
        multiply(four, four * each_weight * d_head**2, "four of the same shape"),
    ),
    measured_by="schematic/weights.of_attention",
    example={"d_head": 7, "n_heads": 1, "d_model": 7},
)
