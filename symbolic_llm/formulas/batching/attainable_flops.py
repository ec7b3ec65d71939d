"""Attainable arithmetic: the roofline

The operations a second that a matrix product reaches at most: as many as the machine can do, or as many as belong to
the bytes it moves in that time, min(F, I·W). The two are equal at the ridge point. Drawn against the intensity it is a
roof, a slope and then a flat, under which every operation lies.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.product_intensity import FORMULA as product_intensity
from symbolic_llm.notation import F, F_matrix, I_matrix, W
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq, Max

TIME = Max(I_matrix / F, 1 / W)

FORMULA = Formula(
    __name__,
    claim=Eq(F_matrix, I_matrix / TIME),
    kind=Kind.LAW,
    uses=(product_intensity,),
    steps=(
        premise(I_matrix, "the operations that belong to a byte", measured_by="product.intensity"),
        divide(
            TIME,
            CLAIM,
            "in the time that a byte takes: that of its operations or of moving it, whichever is longer",
            measured_by="product.time_of_a_byte",
        ),
    ),
    measured_by="product.rate",
    sources=("williams-2009",),
    example={"m": 4096, "n": 4096, "k": 16, "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
