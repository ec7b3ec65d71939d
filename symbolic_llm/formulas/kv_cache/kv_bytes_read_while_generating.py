"""Cache bytes read while generating

Every new token reads the cache of all tokens before it and of itself. Once an answer is many times longer than its
prompt, which is N here, one twice as long reads nearly four times as much.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import half, one_token
from symbolic_llm.notation import B, D_generation, N, i_token, m_token, n_new
from symbolic_llm.steps import CLAIM, premise, rewrite, sum_over
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_generation, B * m_token * n_new * (N + (n_new + one_token) / half) / one_token),
    models=(Trait.FULL,),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(
            B * (N + i_token) * m_token,
            "for the i-th new token the cache holds the N tokens of the prompt and i new ones, and is read whole",
        ),
        sum_over(
            i_token,
            n_new,
            B * m_token * (N * n_new + n_new * (n_new + one_token) / half) / one_token,
            "over all new tokens",
        ),
        rewrite(CLAIM, "as if every step had read a context of middle length"),
    ),
    measured_by="cache.bytes_read_while_generating",
    example={"model": "llama-2-7b", "cache": "fp16", "N": 350, "n_new": 150, "B": 1},
)
