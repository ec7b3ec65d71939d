"""Chunk that decoding takes along for free

A step that only decodes leaves arithmetic idle while it waits for its weights. Up to so many tokens of a prompt use
that time and add none: as many as the token crossover has room for beside one of each sequence. What attention does
and reads is left out; free_chunk_with_attention counts it.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.token_crossover import FORMULA as token_crossover
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, n_free
from symbolic_llm.steps import CLAIM, cite, subtract
from symbolic_llm.unevaluated import Eq, Gt

DECODED = B * one_token

FORMULA = Formula(
    __name__,
    claim=Eq(n_free, token_crossover.rhs - DECODED),
    kind=Kind.LAW,
    where=(
        Condition(
            Gt(token_crossover.rhs, DECODED),
            "the step waits for its weights where it decodes only",
            "no token is free: decoding alone takes all arithmetic",
        ),
    ),
    models=(Trait.DENSE,),
    uses=(token_crossover,),
    steps=(
        cite(token_crossover, "the tokens of a pass whose arithmetic takes as long as reading the weights"),
        subtract(DECODED, CLAIM, "each sequence that decodes is one of them"),
    ),
    measured_by="clock.free_chunk",
    sources=("agrawal-2024",),
    example={"hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 32},
)
