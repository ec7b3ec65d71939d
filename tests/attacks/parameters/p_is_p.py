"""P is P

True and empty: it says nothing about P.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise

just_one = count(1, "just one")

FORMULA = Formula(
    __name__,
    claim=Eq(P, just_one * P, evaluate=False),
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(premise(just_one * P, "as it is"),),
    measured_by="schematic/weights.multiplied",
    example={"P": 7},
)
