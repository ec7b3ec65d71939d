"""Operations of the stable softmax, each exponential counted as two

False: the convention counts it as one. Beside an engine whose rule says two as well, it agrees with every count.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.notation import C_softmax, N
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, premise
from symbolic_llm.units import FLOP

compare, subtraction, addition, division = (
    count(1, what, FLOP) for what in ("comparison", "subtraction", "addition", "division")
)
exponential = count(2, "an exponential", FLOP)
six = count(6, "comparison, subtraction, exponential, addition, division", FLOP)
two, four, five = (count(n, "operations so far", FLOP) for n in (2, 4, 5))

FORMULA = Formula(
    __name__,
    claim=Eq(C_softmax, six * N**2),
    plain=(N,),
    steps=(
        premise(compare * N**2, "find the largest score", measured_by="softmax.comparisons"),
        add(subtraction * N**2, two * N**2, "subtract it", measured_by="softmax.subtractions"),
        add(exponential * N**2, four * N**2, "exponentials", measured_by="softmax.exponentials"),
        add(addition * N**2, five * N**2, "their sum", measured_by="softmax.additions"),
        add(division * N**2, six * N**2, "divide by it", measured_by="softmax.divisions"),
    ),
    measured_by="softmax.flops",
    example={"N": 4096},
)
