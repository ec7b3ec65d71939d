"""Compute time where heads are of two kinds"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.two_kinds.twofold_decode_product_flops import FORMULA as twofold_decode_product_flops
from symbolic_llm.notation import F, T_compute_cache
from symbolic_llm.steps import cite, divide
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_compute_cache, twofold_decode_product_flops.rhs / F),
    models=(Trait.TWOFOLD,),
    kind=Kind.LAW,
    uses=(twofold_decode_product_flops,),
    steps=(
        cite(twofold_decode_product_flops, "the matrix products of the step"),
        divide(F, twofold_decode_product_flops.rhs / F, "at peak arithmetic"),
    ),
    measured_by="clock.compute_time_with_attention",
    example={"model": "gemma-4-26b-a4b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
