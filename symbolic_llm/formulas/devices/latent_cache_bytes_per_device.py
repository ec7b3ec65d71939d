"""Cache bytes of a token on a device with latent attention

All heads need the latent vector, so every device that has some of the heads keeps all of the cache: sharing the layers
does not make it smaller. That is why attention of such models is shared out by sequences instead (data parallel).
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latent_attention.latent_kv_bytes_per_token import FORMULA as latent_kv_bytes_per_token
from symbolic_llm.notation import m_device
from symbolic_llm.steps import cite
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_device, latent_kv_bytes_per_token.rhs),
    models=(Trait.LATENT,),
    uses=(latent_kv_bytes_per_token,),
    steps=(cite(latent_kv_bytes_per_token, "the whole cache, whatever the number of devices"),),
    measured_by="devices.cache_bytes_of_a_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2", "cache": "fp16"},
)
