"""Cache bytes on a device with data-parallel attention

Where each device attends for sequences of its own, it keeps their whole cache and nothing of the others. No key, value
or latent vector is kept twice, however many devices there are.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.notation import M_own, n_tensor
from symbolic_llm.steps import cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_own, kv_bytes_total.rhs / n_tensor),
    models=STATELESS,
    uses=(kv_bytes_total,),
    steps=(
        cite(kv_bytes_total, "the caches of all sequences"),
        divide(n_tensor, kv_bytes_total.rhs / n_tensor, "each of them is on one device, a device in the mean"),
    ),
    measured_by="dealt.cache_bytes",
    sources=("deepseek-v3-2024",),
    example={"model": "deepseek-v3", "cache": "fp16", "N": 4096, "B": 128, "n_tensor": 8},
)
