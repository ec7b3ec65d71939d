"""Sequences that fit beside the weights and one byte

False where memory is filled exactly: one sequence more fits than this says.
"""

from sympy import Eq, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B_fit, M_seq
from symbolic_llm.numeral import count
from symbolic_llm.steps import cite, divide, round_down, subtract
from symbolic_llm.units import BYTE

one_byte = count(1, "byte that stays free", BYTE)
FREE = memory_left.rhs - one_byte
FITTING = each_sequence * floor(FREE / (M_seq * each_sequence))

FORMULA = Formula(
    __name__,
    claim=Eq(B_fit, FITTING),
    uses=(memory_left, context_bytes),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        subtract(one_byte, FREE, "one byte stays free"),
        divide(M_seq, FREE / M_seq, "each sequence takes what its blocks keep of it"),
        round_down(each_sequence, FITTING, "only whole sequences count"),
    ),
    measured_by="memory.sequences_that_fit",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
