"""A mixed step waits for memory exactly up to the free chunk

The largest whole chunk that is free is what free_chunk_with_attention gives, rounded down, and every smaller one is
free as well.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.free_chunk_with_attention import DECODES, EACH
from symbolic_llm.formulas.chunked_prefill.free_chunk_with_attention import FORMULA as free_chunk_with_attention
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import COMPUTED, READ
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.notation import n_chunk
from symbolic_llm.steps import CLAIM, divide, premise, subtract
from symbolic_llm.unevaluated import Lt

MEMORY_BOUND = Lt(COMPUTED, READ)

FORMULA = Formula(
    __name__,
    claim=Equivalence(MEMORY_BOUND, Lt(n_chunk, free_chunk_with_attention.rhs)),
    kind=Kind.THEOREM,
    uses=(mixed_step_time, free_chunk_with_attention),
    steps=(
        premise(MEMORY_BOUND, "the arithmetic is done before weights and caches have arrived"),
        subtract(DECODES, Lt(n_chunk * EACH, READ - DECODES), "without what decoding computes"),
        divide(EACH, CLAIM, "by what a token of the chunk computes"),
    ),
    measured_by="clock.mixed_step_is_memory_bound",
    example=mixed_step_time.example,
)
