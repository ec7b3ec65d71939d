"""Critical context

The context at which one more sequence adds as much reading as arithmetic. Beyond it no batch makes a whole step
compute-bound, however large: a step that computes all the while it reads. Taken part by part, its matrices are
compute-bound from the batch crossover on at any context. The precision of the weights does not matter; that of the
cache does. Nor do experts: a large batch uses them all, and one more sequence reads no more of them.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover_with_cache import FORMULA as batch_crossover_with_cache
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.shared import cache_outruns_attention, multiply_add, one_token
from symbolic_llm.notation import F, N_critical, P, W, a, m_token
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(N_critical, multiply_add * P * W * one_token / (F * m_token - a * W * one_token)),
    kind=Kind.LAW,
    where=(cache_outruns_attention,),
    models=(Trait.FULL,),
    uses=(batch_crossover_with_cache, context_bytes_read),
    steps=(
        premise(
            multiply_add * P * one_token / F,
            "the time of one sequence's arithmetic, without attention",
            measured_by="clock.compute_time(batch=1)",
        ),
        divide(
            m_token / W - a * one_token / F,
            CLAIM,
            "each token of context takes so much longer to read than attention takes to meet it",
        ),
    ),
    measured_by="clock.critical_context",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
