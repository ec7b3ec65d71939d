"""Operations of textbook attention

The plain softmax costs three operations per score: an exponential, an addition to the sum, a division. It overflows for
large scores; the stable one has a formula of its own.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import two_flop
from symbolic_llm.notation import C_textbook, N, d
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP

softmax = count(3, "exponential, addition to the sum, division", FLOP)
two_products = count(4, "two products, each a multiplication and an addition", FLOP)

FORMULA = Formula(
    __name__,
    claim=Eq(C_textbook, two_products * N**2 * d + softmax * N**2),
    plain=(N,),
    steps=(
        premise(
            two_flop * N**2 * d,
            "line 1: N² scores, each a sum of d products",
            measured_by="textbook.flops[line_1]",
        ),
        add(
            softmax * N**2,
            two_flop * N**2 * d + softmax * N**2,
            "line 2: the softmax of each row",
            measured_by="textbook.flops[line_2]",
        ),
        add(
            two_flop * N**2 * d,
            CLAIM,
            "line 3: N·d outputs, each a sum of N products",
            measured_by="textbook.flops[line_3]",
        ),
    ),
    measured_by="textbook.flops",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096},
)
