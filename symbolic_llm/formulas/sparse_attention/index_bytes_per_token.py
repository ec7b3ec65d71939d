"""Cache bytes of an index's keys

One key of each token, in every block that has an index of its own. They are counted in the format of the cache.
DeepSeek's own code keeps them in 8 bits, with a 32-bit scale for each 128 numbers.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_index, m_index, n_bytes_kv, n_index
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(m_index, n_index * key_number * d_index * n_bytes_kv),
    models=(Trait.LATENT, Trait.PICKED),
    steps=(
        premise(
            key_number * d_index * n_bytes_kv,
            "the key of one index",
            measured_by="index.bytes_of_a_token(n_index=1)",
        ),
        multiply(n_index, CLAIM, "each index has its own"),
    ),
    measured_by="index.bytes_of_a_token",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "cache": "fp16"},
)
