"""Batch crossover of a mixture of experts

A batch as large as this reads all experts, P_read weights, while each of its tokens is multiplied with P of them: so it
is larger than that of a dense model by the quotient of the two.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover_with_cache import FORMULA as batch_crossover_with_cache
from symbolic_llm.formulas.shared import crossover_exists
from symbolic_llm.notation import B_star_cache, P, P_read
from symbolic_llm.steps import cite, divide, multiply

DENSE = batch_crossover_with_cache.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star_cache, P_read / P * DENSE),
    kind=Kind.DEFINITION,
    where=(crossover_exists,),
    uses=(batch_crossover_with_cache,),
    steps=(
        cite(batch_crossover_with_cache, "if only what one token is multiplied with were read"),
        divide(P, DENSE / P, "for each weight that is read"),
        multiply(P_read, P_read / P * DENSE, "for all that are"),
    ),
    unmeasured="the engine's routers do not pick every expert on demand; with P_read = P it is the measured crossover",
    example={"model": "mixtral-8x7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 100, "P_read": 46571454464},
)
