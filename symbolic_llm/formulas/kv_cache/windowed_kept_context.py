"""Context that a block keeps, where some have a window

A block that attends to a window keeps the keys and values of that window and forgets older ones. Until a sequence is
as long as the window, it makes no difference; from then on only the other blocks' caches go on growing. What counts for
bytes and operations is the mean over all blocks, since all of them keep and do the same for each token.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import windows_are_in_blocks
from symbolic_llm.notation import N, N_kept, n_blocks, n_local, n_window
from symbolic_llm.steps import premise, subtract
from symbolic_llm.written import Eq, Max

FORGOTTEN = Max(N, n_window) - n_window

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_kept, N - n_local * FORGOTTEN / n_blocks),
    where=(windows_are_in_blocks,),
    models=(Trait.MIXED, Trait.WINDOWED),
    steps=(
        premise(N, "a block without a window keeps all", measured_by="mixed/cache.kept_context(n_local=0)"),
        subtract(
            n_local * FORGOTTEN / n_blocks,
            N - n_local * FORGOTTEN / n_blocks,
            "each block with a window forgets what lies beyond it, nothing while it fills: a mean over all blocks",
        ),
    ),
    measured_by="cache.kept_context",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "N": 8192},
)
