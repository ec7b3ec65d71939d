"""When a batch fits

Weights and cache fit exactly when the batch does not exceed the quotient of room and cache per sequence; so the
largest batch is that quotient, rounded down: sequences_that_fit. It is negative where the weights alone do not fit.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.footprint import FORMULA as footprint
from symbolic_llm.notation import B, M, M_seq, P_total, n_bytes
from symbolic_llm.steps import CLAIM, divide, premise, subtract
from symbolic_llm.unevaluated import Le

FITS = Le(footprint.rhs, M)
QUOTIENT = (M - P_total * n_bytes) / M_seq

FORMULA = Formula(
    __name__,
    claim=Equivalence(FITS, Le(B, QUOTIENT)),
    kind=Kind.THEOREM,
    uses=(footprint,),
    steps=(
        premise(FITS, "what is held fits into memory"),
        subtract(
            P_total * n_bytes,
            Le(B * M_seq, M - P_total * n_bytes),
            "the cache fits beside the weights",
        ),
        divide(M_seq, CLAIM, "by what is kept of a sequence"),
    ),
    measured_by="memory.fits",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096, "B": 4},
)
