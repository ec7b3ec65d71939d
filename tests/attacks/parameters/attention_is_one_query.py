"""The attention matrices hold as many weights as one head's queries

False: there are four matrices and all heads. The premise is measured, but by a probe that asks about one head.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model
from symbolic_llm.steps import premise

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, each_weight * d_model * d_head),
    steps=(
        premise(
            each_weight * d_model * d_head,
            "the queries of one head",
            measured_by="schematic/weights.of_attention[*.query](n_kv_heads=1, group=1)",
        ),
    ),
    unmeasured="its premise is measured",
    example={"model": "llama-7b"},
)
