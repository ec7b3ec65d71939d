"""Cache bytes of one token on a device: its share of all

False where fewer heads keep keys than there are devices: each keeps a copy. Only devices that share evenly are asked.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import m_device, m_token, n_tensor
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(m_device, m_token / n_tensor),
    uses=(kv_bytes_per_token,),
    steps=(premise(m_token / n_tensor, "each has as much as any other"),),
    measured_by="split/devices.cache_bytes_of_a_token",
    example={"model": "llama-3-8b", "cache": "fp16", "n_tensor": 2},
)
