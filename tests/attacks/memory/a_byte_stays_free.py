"""Sequences that fit beside the weights and one byte

False where memory is filled exactly: one sequence more fits than this says.
"""

from sympy import Eq, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.tokens_that_fit import FORMULA as tokens_that_fit
from symbolic_llm.formulas.shared import each_sequence, weights_fit
from symbolic_llm.notation import B_fit, M, N, P_total, m_token, n_bytes
from symbolic_llm.numeral import count
from symbolic_llm.steps import divide, premise, round_down
from symbolic_llm.units import BYTE

one_byte = count(1, "byte that stays free", BYTE)
TOKENS = (M - P_total * n_bytes - one_byte) / m_token

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_fit, each_sequence * floor(TOKENS / (N * each_sequence))),
    where=(weights_fit,),
    uses=(tokens_that_fit,),
    steps=(
        premise(TOKENS, "tokens that fit"),
        divide(N, TOKENS / N, "in sequences of one length"),
        round_down(each_sequence, each_sequence * floor(TOKENS / (N * each_sequence)), "whole ones"),
    ),
    measured_by="memory.sequences_that_fit",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
