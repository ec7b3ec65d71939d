"""Batch beyond which data-parallel attention reads less

By heads, devices read copies: of keys and values where they outnumber these heads, of latent vectors always. By
sequences they read no cache twice, but the weights of all heads. The larger the batch and the longer the context, the
more the copies weigh; the weights stay what they are. This is the batch of all devices at which both are equal: a
device reads less of weights and caches together beyond it, and more below. With latent attention the number of devices
cancels: DeepSeek-V3 at a context of 4,096 has the same on two and on 64.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.attention_weights_not_shared import FORMULA as attention_weights_not_shared
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.notation import B_own, M_seq, P_more, m_device, m_token, n_bytes, n_tensor
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq, Gt

MORE = P_more * n_bytes
COPIES = M_seq * (m_device / m_token - 1 / n_tensor)
kept_twice = Condition(
    Gt(m_device, m_token / n_tensor),
    "devices that share the heads keep something more than once",
    "every key and value is on one device only, so that attention by sequences reads more for any batch",
)

FORMULA = Formula(
    __name__,
    claim=Eq(B_own, MORE / COPIES),
    where=(kept_twice,),
    models=STATELESS,
    uses=(attention_weights_not_shared, cache_bytes_per_device, kv_bytes_per_token, context_bytes),
    steps=(
        premise(
            MORE,
            "weights that a device reads more",
            measured_by="dealt.weight_bytes_more",
        ),
        divide(
            COPIES, CLAIM, "of each sequence, what a device keeps beyond its part", measured_by="dealt.cache_bytes_less"
        ),
    ),
    measured_by="dealt.reads_alike",
    sources=("deepseek-v3-2024",),
    example={"model": "deepseek-v3", "dtype": "fp8", "N": 4096, "n_tensor": 8},
)
