"""Cache bytes of one token

The articles print this as the cache's "total memory". It is not: it is bytes per token, and a cache holds as many
tokens as the sequences are long and the batch is wide.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token_and_layer import FORMULA as kv_bytes_per_token_and_layer
from symbolic_llm.notation import m_token, n_blocks
from symbolic_llm.steps import CLAIM, cite, multiply
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(m_token, n_blocks * kv_bytes_per_token_and_layer.rhs),
    models=STATELESS,
    uses=(kv_bytes_per_token_and_layer,),
    steps=(
        cite(kv_bytes_per_token_and_layer, "one layer"),
        multiply(n_blocks, CLAIM, "every layer has a cache of its own"),
    ),
    measured_by="cache.bytes_of_a_token",
    sources=("timbers-2023", "baseten-2023"),
    example={"model": "llama-2-7b", "cache": "fp16"},
)
