"""Where a mixed step as a whole is as slow as its parts

The bound of mixed_step_bounds_below is tight exactly where matrices and attention are held back by the same of the two,
memory or arithmetic, or one of them by neither. The first factor on both sides says by how much the tokens of the step
exceed the token crossover, with both rates multiplied out; the others are what attention reads, and what it computes.
Unlike in most decoding steps the second can be the larger: every token of the chunk computes with a cache that is read
once. So a chunk that takes both beyond their reading makes the bound tight again.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import (
    ATTENTION,
    MATRICES,
    READ_CACHE,
    READ_WEIGHTS,
)
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.chunked_prefill.separate_mixed_step_time import FORMULA as separate_mixed_step_time
from symbolic_llm.formulas.shared import each_sequence, multiply_add, one_token
from symbolic_llm.notation import B, F, N, N_prompt, P, W, a, m_token, n_bytes, n_chunk
from symbolic_llm.steps import CLAIM, bound_alike, divide, multiply, premise
from symbolic_llm.unevaluated import Eq, Le

TIGHT = Eq(separate_mixed_step_time.rhs, mixed_step_time.rhs)
LONGER = MATRICES - READ_WEIGHTS  # arithmetic of the matrices than reading them
EACH = multiply_add * (B * one_token + n_chunk) / F - n_bytes / W
EXCESS = multiply_add * (B * one_token + n_chunk) * W - n_bytes * F
KEPT, MET = B * N + each_sequence * N_prompt, B * one_token * N + n_chunk * N_prompt

FORMULA = Formula(
    __name__,
    claim=Equivalence(TIGHT, Le(EXCESS * KEPT * m_token * F, EXCESS * a * MET * W)),
    kind=Kind.THEOREM,
    uses=(separate_mixed_step_time, mixed_step_time),
    steps=(
        premise(TIGHT, "matrices and attention, one after the other, take as long as the whole step"),
        bound_alike(
            Le(LONGER * READ_CACHE, LONGER * ATTENTION),
            "two maxima add up where their first arguments are both the larger or both the smaller",
        ),
        divide(
            P,
            Le(EACH * READ_CACHE, EACH * ATTENTION),
            "how many weights there are makes no difference to attention",
        ),
        multiply(F**2 * W**2, CLAIM, "both rates to the other side"),
    ),
    measured_by="clock.mixed_parts_take_as_long",
    example={**mixed_step_time.example, "n_chunk": 256},
)
