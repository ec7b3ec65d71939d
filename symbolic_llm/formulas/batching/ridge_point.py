"""Ridge point of a machine

The operations a machine can do while it moves one byte, also called its ops:byte ratio. Work with a lower
arithmetic intensity waits for memory.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import F, I_ridge, W
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(I_ridge, F / W),
    kind=Kind.DEFINITION,
    steps=(
        premise(F, "operations in a second"),
        divide(W, CLAIM, "for each byte moved in that second"),
    ),
    unmeasured="a ratio of two figures of a datasheet: the engine counts operations and bytes, not a machine's peaks",
    sources=("baseten-2023", "williams-2009"),
    example={"hardware": "a10", "dtype": "fp16"},
)
