"""Cache bytes of one token with latent attention whose heads are cached

Programs that know nothing of latent vectors make keys and values of every head from them and cache those, as of any
attention. The rotated part of the key, which all heads share, is kept for each of them. What latent attention was made
for is lost: latent_kv_bytes_per_token counts what it needs.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_nope, d_rope, d_value, m_expanded, n_blocks, n_bytes_kv, n_heads
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

KEY = key_number * (d_nope + d_rope) * n_bytes_kv
BOTH = key_number * (d_nope + d_rope + d_value) * n_bytes_kv

FORMULA = Formula(
    __name__,
    models=(Trait.LATENT, Trait.FULL),
    claim=Eq(m_expanded, n_blocks * n_heads * BOTH),
    steps=(
        premise(
            KEY, "the key of one head", measured_by="cache.bytes_of_an_expanded_token[*.keys](n_blocks=1, n_heads=1)"
        ),
        add(
            BOTH - KEY,
            BOTH,
            "and its value",
            measured_by="cache.bytes_of_an_expanded_token[*.values](n_blocks=1, n_heads=1)",
        ),
        multiply(
            n_heads,
            n_heads * BOTH,
            "every head has its own",
            measured_by="cache.bytes_of_an_expanded_token(n_blocks=1)",
        ),
        multiply(n_blocks, CLAIM, "in every layer"),
    ),
    measured_by="cache.bytes_of_an_expanded_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v2", "cache": "fp16"},
)
