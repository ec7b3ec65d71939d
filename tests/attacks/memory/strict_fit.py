"""Sequences that fit with a byte to spare

False where memory is filled exactly: one sequence more fits than this says.
"""

from sympy import Eq, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.tokens_that_fit import FORMULA as tokens_that_fit
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B_fit, N
from symbolic_llm.steps import premise

FITTING = each_sequence * (-floor(-tokens_that_fit.rhs / (N * each_sequence)) - 1)

FORMULA = Formula(
    __name__,
    claim=Eq(B_fit, FITTING),
    uses=(tokens_that_fit,),
    steps=(premise(FITTING, "one byte has to stay free"),),
    measured_by="memory.sequences_that_fit",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
