"""Cache bytes read while generating, as if there were no prompt

False: every step reads the prompt's keys and values too. A probe counts D_generation; this formula does not name it.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, D_generation, N, m_token, n_new
from symbolic_llm.steps import cite, substitute, sum_over

READ = B * m_token * n_new * (n_new + one_token) / (2 * one_token)

FORMULA = Formula(
    __name__,
    claim=Eq(D_generation, READ),
    kind=Kind.LAW,
    models=(Trait.FULL,),
    uses=(kv_bytes_total, context_bytes),
    steps=(
        cite(kv_bytes_total, "the cache of one step"),
        substitute(context_bytes, B * m_token * N, "no block forgets a token"),
        sum_over(N, n_new, READ, "over all new tokens"),
    ),
    unmeasured="it follows from kv_bytes_total",
    example={"m_token": 7, "B": 1, "n_new": 4},
)
