"""Whether a batch fits, said with the rounded quotient

True: a whole number is at most x exactly when it is at most x rounded down.
"""

from sympy import Le, floor

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.capacity import FITS, QUOTIENT
from symbolic_llm.formulas.memory.capacity import FORMULA as capacity
from symbolic_llm.formulas.memory.footprint import FORMULA as footprint
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B, M, M_seq, P_total, n_bytes
from symbolic_llm.steps import divide, premise, rewrite, subtract

ROUNDED = Le(B, each_sequence * floor(QUOTIENT / each_sequence), evaluate=False)
CACHE_FITS = Le(B * M_seq, M - P_total * n_bytes, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Equivalence(FITS, ROUNDED),
    kind=Kind.THEOREM,
    uses=(footprint, capacity),
    steps=(
        premise(FITS, "what is held fits into memory"),
        subtract(P_total * n_bytes, CACHE_FITS, "the cache fits beside the weights"),
        divide(M_seq, Le(B, QUOTIENT, evaluate=False), "a sequence holds its tokens' keys and values"),
        rewrite(ROUNDED, "a batch is a whole number of sequences"),
    ),
    measured_by="memory.fits",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096, "B": 4},
)
