"""Critical context where every block has a window

As long as the windows fill, it makes no difference that there are some. Once all of them are full, no block reads more,
and a longer context changes nothing.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover_with_cache import FORMULA as batch_crossover_with_cache
from symbolic_llm.formulas.shared import (
    cache_outruns_attention,
    crossover_exists,
    multiply_add,
    one_token,
    window_is_reached,
)
from symbolic_llm.notation import F, N_critical, N_kept, P, W, a, m_token
from symbolic_llm.steps import premise, solve_for

CRITICAL = multiply_add * P * W * one_token / (F * m_token - a * W * one_token)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, CRITICAL),
    kind=Kind.LAW,
    where=(cache_outruns_attention, window_is_reached),
    models=(Trait.WINDOWED,),
    uses=(batch_crossover_with_cache,),
    steps=(
        premise(
            Eq(*(side.xreplace({N_kept: N_critical}) for side in crossover_exists.relation.args)),
            "the condition of the crossover, at its edge, while every block keeps the whole context",
        ),
        solve_for(N_critical, Eq(N_critical, CRITICAL), "for the context"),
    ),
    measured_by="clock.critical_context",
    sources=("jiang-2023",),
    example={"model": "mistral-7b-v0.1", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
