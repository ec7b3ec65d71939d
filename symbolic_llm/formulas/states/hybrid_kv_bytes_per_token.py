"""Cache bytes of one token where some blocks have a state

Only the blocks that attend keep something of each token.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token_and_layer import FORMULA as kv_bytes_per_token_and_layer
from symbolic_llm.notation import m_token, n_global
from symbolic_llm.steps import cite, multiply
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_token, n_global * kv_bytes_per_token_and_layer.rhs),
    models=(Trait.HYBRID,),
    uses=(kv_bytes_per_token_and_layer,),
    steps=(
        cite(kv_bytes_per_token_and_layer, "one layer"),
        multiply(n_global, n_global * kv_bytes_per_token_and_layer.rhs, "every block that attends has a cache"),
    ),
    measured_by="state.bytes_of_a_token",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16"},
)
