"""Cache bytes of a token on a device

Devices share out the key/value heads, and with them the cache, as long as there are enough heads. Beyond that each more
device keeps a copy of some head, and its share stays what it was: that of one head.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import m_device, m_token, n_kv_heads, n_tensor
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq, Max

COPIES = Max(1, n_tensor / n_kv_heads)

FORMULA = Formula(
    __name__,
    claim=Eq(m_device, m_token * COPIES / n_tensor),
    models=(Trait.GROUPED, *STATELESS),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(
            m_token * COPIES,
            "all devices together keep every head once, or as often as there are devices for it",
            measured_by="devices.cache_bytes_of_a_token_together",
        ),
        divide(n_tensor, CLAIM, "a device, on average"),
    ),
    measured_by="devices.cache_bytes_of_a_token",
    example={"model": "llama-2-70b", "cache": "fp16", "n_tensor": 16},
)
