"""Operations of the stable softmax

Every implementation subtracts the largest score of a row before the exponential, so that nothing overflows: five
operations per score, where the articles count three.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.notation import C_softmax, N
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP

compare, subtract, exponential, addition, division = (
    count(1, what, FLOP) for what in ("comparison", "subtraction", "exponential", "addition", "division")
)
five = count(5, "comparison, subtraction, exponential, addition, division", FLOP)
two = count(2, "comparison and subtraction", FLOP)
three = count(3, "comparison, subtraction and exponential", FLOP)
four = count(4, "comparison, subtraction, exponential and addition", FLOP)

FORMULA = Formula(
    __name__,
    claim=Eq(C_softmax, five * N**2),
    plain=(N,),
    steps=(
        premise(compare * N**2, "find the largest score of each row", measured_by="softmax.comparisons"),
        add(subtract * N**2, two * N**2, "subtract it", measured_by="softmax.subtractions"),
        add(exponential * N**2, three * N**2, "exponentials", measured_by="softmax.exponentials"),
        add(addition * N**2, four * N**2, "their sum", measured_by="softmax.additions"),
        add(division * N**2, CLAIM, "divide by it", measured_by="softmax.divisions"),
    ),
    measured_by="softmax.flops",
    example={"N": 4096},
)
