"""Cache bytes of one token's latent vectors

As with latent attention alone: the latent vector and the rotated part of the key, in every block, whether it has an
index of its own or not.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_latent, d_rope, m_latent, n_blocks, n_bytes_kv
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE = key_number * (d_latent + d_rope) * n_bytes_kv

FORMULA = Formula(
    __name__,
    claim=Eq(m_latent, n_blocks * ONE),
    models=(Trait.LATENT, Trait.PICKED),
    steps=(
        premise(ONE, "what one block keeps", measured_by="index.latent_bytes_of_a_token(n_index=1, n_follow=0)"),
        multiply(n_blocks, CLAIM, "every block has its own"),
    ),
    measured_by="index.latent_bytes_of_a_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v3.2", "cache": "fp16"},
)
