"""Weights of query and key norms

Qwen 3 and Gemma 3 normalise each query and each key before they meet; all heads of a block share the weights.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_qk_norm, d_head
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

both = count(2, "norms: of queries and of keys")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_qk_norm, both * each_weight * d_head),
    steps=(
        premise(
            each_weight * d_head,
            "one weight for each number of a query",
            measured_by="weights.of_query_and_key_norms[*.query_norm.*]",
        ),
        multiply(both, both * each_weight * d_head, "keys are as wide"),
    ),
    measured_by="weights.of_query_and_key_norms",
    sources=("qwen-2025",),
    example={"model": "qwen3-8b"},
)
