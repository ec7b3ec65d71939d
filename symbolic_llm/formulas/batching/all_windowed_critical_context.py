"""Critical context where every block has a window

As long as the windows fill, it makes no difference that there are some. Once all of them are full, no block reads more,
and a longer context changes nothing.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover_with_cache import FORMULA as batch_crossover_with_cache
from symbolic_llm.formulas.shared import (
    cache_outruns_attention,
    multiply_add,
    one_token,
    window_is_reached,
)
from symbolic_llm.notation import F, N_critical, P, W, a, m_token
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

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
            multiply_add * P * one_token / F,
            "the time of one sequence's arithmetic, without attention",
            measured_by="clock.compute_time(batch=1)",
        ),
        divide(
            m_token / W - a * one_token / F,
            CRITICAL,
            "as long as every block keeps the whole context, each token takes so much longer to read than to attend to",
        ),
    ),
    measured_by="clock.critical_context",
    sources=("jiang-2023",),
    example={"model": "mistral-7b-v0.1", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
