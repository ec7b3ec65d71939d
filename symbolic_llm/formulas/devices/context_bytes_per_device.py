"""Bytes of a sequence on a device

Of every token a device keeps what it keeps of one, so its share of a sequence is its share of a token.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.notation import M_seq, M_seq_device, m_device, m_token
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_seq_device, M_seq * m_device / m_token),
    models=(Trait.GROUPED, Trait.LATENT, *STATELESS),
    uses=(cache_bytes_per_device, context_bytes),
    steps=(
        premise(M_seq, "what is kept of a sequence"),
        multiply(m_device / m_token, CLAIM, "a device has as large a part of it as of a token"),
    ),
    measured_by="devices.bytes_of_a_sequence",
    example={"model": "llama-2-70b", "cache": "fp16", "N": 4096, "n_tensor": 8},
)
