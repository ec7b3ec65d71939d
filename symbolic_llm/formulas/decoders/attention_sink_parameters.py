"""Weights of attention sinks

In gpt-oss every head has a score of its own beside those of the tokens: attention may look at nothing.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_sink, n_heads
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_sink, each_weight * n_heads),
    steps=(premise(each_weight * n_heads, "one score for each head"),),
    measured_by="weights.of_sinks",
    sources=("gpt-oss-2025",),
    example={"model": "gpt-oss-20b"},
)
