"""Largest context where full windows fit

Beyond its window no block keeps more, so only what the model was made for sets a limit.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import full_windows_fit
from symbolic_llm.notation import N_largest, n_limit
from symbolic_llm.steps import premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_largest, n_limit),
    where=(full_windows_fit,),
    models=(Trait.WINDOWED,),
    uses=(kv_bytes_per_token,),
    steps=(premise(n_limit, "memory has room for any context"),),
    measured_by="memory.longest_context",
    example={"model": "mistral-7b-v0.1", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1},
)
