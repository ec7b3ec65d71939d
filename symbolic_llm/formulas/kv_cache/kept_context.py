"""Context that a block keeps

All of it, where no block has a window: every block attends to every token before, or may pick it.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.notation import N, N_kept
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_kept, N),
    models=(Trait.FULL, Trait.PICKED),
    steps=(premise(N, "no block forgets a token", measured_by="cache.kept_context"),),
    measured_by="cache.kept_context",
    example={"N": 4096},
)
