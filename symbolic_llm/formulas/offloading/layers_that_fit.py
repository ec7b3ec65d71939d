"""Layers that fit beside what cannot move

The caches of the batch, and all weights that cannot lie in the second memory, are in the machine's own. What they leave
holds so many layers; the others go to the second memory. Since a layer is read faster here, as many stay as fit.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.footprint import FORMULA as footprint
from symbolic_llm.notation import M, M_layer, n_movable, n_near
from symbolic_llm.steps import CLAIM, divide, premise, round_down
from symbolic_llm.unevaluated import Eq, Gt, Lt

MOVABLE = n_movable * M_layer
LEFT = M - footprint.rhs + MOVABLE

FORMULA = Formula(
    __name__,
    claim=Eq(n_near, floor(LEFT / M_layer)),
    where=(
        Condition(
            Gt(M, footprint.rhs - MOVABLE),
            "what cannot move leaves room in memory",
            "what cannot move does not fit by itself",
        ),
        Condition(
            Lt(M, footprint.rhs),
            "not all layers fit",
            "all layers fit, and none has to move",
        ),
    ),
    uses=(footprint,),
    steps=(
        premise(
            LEFT,
            "all memory of the machine without caches and weights that cannot move",
            measured_by="offload.left_by_what_stays",
        ),
        divide(M_layer, LEFT / M_layer, "each layer takes its bytes", measured_by="offload.bytes_of_a_layer"),
        round_down(1, CLAIM, "only whole layers count"),
    ),
    measured_by="offload.layers_that_stay",
    example={"model": "llama-3-70b", "weights": "q4_0", "cache": "fp16", "N": 4096, "B": 1, "M": "24 GB"},
)
