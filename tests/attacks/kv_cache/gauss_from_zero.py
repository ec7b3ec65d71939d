"""Cache bytes read while generating, each step without its own token

False: a new token attends to itself, so the sum starts one token too early.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, D_generation, N, i_token, m_token, n_new
from symbolic_llm.steps import premise, sum_over

BEFORE = N + i_token - one_token
READ = B * m_token * n_new * (N + (n_new - one_token) / 2) / one_token

FORMULA = Formula(
    __name__,
    claim=Eq(D_generation, READ),
    models=(Trait.FULL,),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(B * m_token * BEFORE, "the tokens before the i-th"),
        sum_over(i_token, n_new, READ, "over all new tokens"),
    ),
    measured_by="cache.bytes_read_while_generating",
    example={"m_token": 1, "B": 1, "N": 3, "n_new": 4},
)
