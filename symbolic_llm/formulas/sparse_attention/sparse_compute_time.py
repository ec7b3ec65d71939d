"""Compute time of a decoding step with sparse attention"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.sparse_decode_product_flops import FORMULA as sparse_decode_product_flops
from symbolic_llm.notation import F, T_compute_cache
from symbolic_llm.steps import cite, divide
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_compute_cache, sparse_decode_product_flops.rhs / F),
    models=(Trait.LATENT, Trait.PICKED),
    kind=Kind.LAW,
    uses=(sparse_decode_product_flops,),
    steps=(
        cite(sparse_decode_product_flops, "the matrix products of the step"),
        divide(F, sparse_decode_product_flops.rhs / F, "at peak arithmetic"),
    ),
    measured_by="picked/clock.compute_time_with_attention",
    example={"model": "deepseek-v3.2", "hardware": "h200-sxm", "dtype": "fp8", "N": 65536, "B": 16},
)
