"""Compute time where some blocks have a state

All products of a decoding step: with the weights, with the caches and with the states.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_decode_product_flops import FORMULA as hybrid_decode_product_flops
from symbolic_llm.notation import F, T_compute_cache
from symbolic_llm.steps import cite, divide
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_compute_cache, hybrid_decode_product_flops.rhs / F),
    models=(Trait.HYBRID,),
    kind=Kind.LAW,
    uses=(hybrid_decode_product_flops,),
    steps=(
        cite(hybrid_decode_product_flops, "the matrix products of the step"),
        divide(F, hybrid_decode_product_flops.rhs / F, "at peak arithmetic"),
    ),
    measured_by="hybrid/clock.compute_time_with_attention",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
