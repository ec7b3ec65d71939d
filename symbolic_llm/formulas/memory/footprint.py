"""Bytes held

The weights once, and the cache of every sequence.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import M_footprint
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_footprint, weight_bytes.rhs + kv_bytes_total.rhs),
    uses=(weight_bytes, kv_bytes_total),
    steps=(
        cite(weight_bytes, "the weights, shared by all sequences"),
        add(kv_bytes_total, CLAIM, "and the cache, which is not shared"),
    ),
    measured_by="memory.held",
    sources=("timbers-2023",),
    example={"model": "llama-65b", "weights": "int4", "cache": "int4", "N": 2048, "B": 1},
)
