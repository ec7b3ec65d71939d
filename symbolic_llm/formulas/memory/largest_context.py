"""Largest context

As much as fits, but no more than the model was made for: positions that it has not seen in training are of no use, even
where memory has room for them.
"""

from symbolic_llm.architecture import UNPICKED, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.context_that_fits import FORMULA as context_that_fits
from symbolic_llm.notation import N_fit, N_largest, n_limit
from symbolic_llm.steps import CLAIM, premise, subtract
from symbolic_llm.unevaluated import Eq, Max

LONGER = Max(N_fit, n_limit)

FORMULA = Formula(
    __name__,
    claim=Eq(N_largest, N_fit + n_limit - LONGER),
    models=(*UNPICKED, Trait.PICKED),
    uses=(context_that_fits,),
    steps=(
        premise(N_fit, "what fits", measured_by="memory.context_that_fits"),
        subtract(
            LONGER - n_limit, CLAIM, "without what lies beyond that which the model was made for, nothing if less fits"
        ),
    ),
    measured_by="memory.longest_context",
    example={"model": "llama-3-8b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1},
)
