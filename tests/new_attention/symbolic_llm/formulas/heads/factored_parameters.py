"""Weights of attention whose queries are made through a narrow vector

The queries of all heads are made of it; one vector of a token is key and value for all of them.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads
from symbolic_llm.notation.factored import d_narrow
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

QUERIES = each_weight * d_narrow * (d_model + n_heads * d_head)
VECTOR = each_weight * d_model * d_head
OUTPUT = each_weight * n_heads * d_head * d_model
NAMED = "weights.of_factored_attention"

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, QUERIES + VECTOR + OUTPUT),
    steps=(
        premise(QUERIES, "queries, through the narrow vector", measured_by=f"{NAMED}[*.narrow, *.query]"),
        add(VECTOR, QUERIES + VECTOR, "the one vector", measured_by=f"{NAMED}[*.key]"),
        add(OUTPUT, CLAIM, "what the heads give", measured_by=f"{NAMED}[*.output]"),
    ),
    measured_by=NAMED,
    example={"d_model": 2048, "n_heads": 32, "d_head": 128, "d_narrow": 512},
)
