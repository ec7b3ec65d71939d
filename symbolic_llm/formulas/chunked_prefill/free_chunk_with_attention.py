"""Chunk that decoding takes along for free, attention counted

As free_chunk, with the caches among what is read and attention among what is computed. For as long as everything is
read, the arithmetic has time left from decoding; each token of the chunk takes of it what it does with all weights and
with its prompt. Long contexts of the sequences that decode leave more of that time, a long prompt makes its own tokens
dearer. Up to this chunk a step takes as long as what it reads; the prompt's own cache is part of that.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import READ
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, F, N, N_prompt, P, a, n_free
from symbolic_llm.steps import CLAIM, divide, premise, subtract
from symbolic_llm.unevaluated import Eq, Gt

DECODES = B * one_token * (multiply_add * P + a * N) / F
EACH = (multiply_add * P + a * N_prompt) / F

FORMULA = Formula(
    __name__,
    claim=Eq(n_free, (READ - DECODES) / EACH),
    kind=Kind.LAW,
    where=(
        Condition(
            Gt(READ, DECODES),
            "decoding computes for less long than everything is read",
            "no token is free: decoding alone takes all arithmetic",
        ),
    ),
    models=(Trait.DENSE, Trait.FULL),
    uses=(mixed_step_time,),
    steps=(
        premise(READ, "as long as weights and caches are read", measured_by="clock.mixed_memory_time"),
        subtract(
            DECODES,
            READ - DECODES,
            "decoding leaves the rest of the arithmetic idle",
            measured_by="clock.compute_time_with_attention",
        ),
        divide(
            EACH, CLAIM, "which is time for so many tokens of the chunk", measured_by="clock.chunk_token_compute_time"
        ),
    ),
    measured_by="clock.free_chunk_with_cache",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 32,
        "N_prompt": 1024,
    },
)
