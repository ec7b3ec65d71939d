"""Cache bytes of one token with latent attention

The latent vector and the rotated part of the key, once for all heads: their number does not appear.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_latent, d_rope, m_token, n_blocks, n_bytes_kv
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    models=(Trait.LATENT, Trait.FULL),
    claim=Eq(m_token, n_blocks * key_number * (d_latent + d_rope) * n_bytes_kv),
    steps=(
        premise(
            key_number * (d_latent + d_rope) * n_bytes_kv,
            "what one layer keeps",
            measured_by="cache.bytes_of_a_token(n_blocks=1)",
        ),
        multiply(n_blocks, CLAIM, "every layer has its own"),
    ),
    measured_by="cache.bytes_of_a_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2", "cache": "fp16"},
)
