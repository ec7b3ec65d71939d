"""Bubble of a pipeline

Until the first micro-batch comes to a stage, and after the last one has left it, the stage waits: together as long as
all others take for one. With one sequence to decode there is one micro-batch, and of p stages one works at a time.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.notation import n_micro, n_stages, x_bubble
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

WAITING = (n_stages - 1) / (n_micro + n_stages - 1)

FORMULA = Formula(
    __name__,
    claim=Eq(x_bubble, WAITING),
    steps=(premise(WAITING, "of the time for all micro-batches, that of the other stages, once for each"),),
    measured_by="stages.bubble",
    sources=("huang-2018",),
    example={"n_micro": 8, "n_stages": 4},
)
