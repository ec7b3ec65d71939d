"""Sequences that fit beside the weights

A sequence that fits in part does not fit, so the quotient is rounded down.
"""

from sympy import Eq, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.tokens_that_fit import FORMULA as tokens_that_fit
from symbolic_llm.formulas.shared import each_sequence, weights_fit
from symbolic_llm.notation import B_fit, N
from symbolic_llm.steps import cite, divide, round_down

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_fit, each_sequence * floor(tokens_that_fit.rhs / (N * each_sequence))),
    where=(weights_fit,),
    uses=(tokens_that_fit,),
    steps=(
        cite(tokens_that_fit, "all tokens that fit"),
        divide(N, tokens_that_fit.rhs / N, "each sequence takes as many as it is long"),
        round_down(
            each_sequence,
            each_sequence * floor(tokens_that_fit.rhs / (N * each_sequence)),
            "only whole sequences count",
        ),
    ),
    measured_by="memory.sequences_that_fit",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
