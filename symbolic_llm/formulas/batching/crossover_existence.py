"""When a crossover exists

Exactly while the context is shorter than the critical one.
"""

from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.critical_context import FORMULA as critical_context
from symbolic_llm.formulas.shared import ALL_KEPT, cache_outruns_attention, crossover_exists, multiply_add, one_token
from symbolic_llm.notation import F, N, P, W, a, m_token
from symbolic_llm.steps import CLAIM, divide, premise, subtract
from symbolic_llm.unevaluated import Gt, Lt

EXISTS = crossover_exists.relation.xreplace(ALL_KEPT)
GROWTH = F * m_token - a * W * one_token

FORMULA = Formula(
    __name__,
    claim=Equivalence(EXISTS, Lt(N, critical_context.rhs)),
    kind=Kind.THEOREM,
    where=(cache_outruns_attention,),
    uses=(critical_context,),
    steps=(
        premise(EXISTS, "one more sequence adds more arithmetic than reading"),
        subtract(
            a * one_token * N * W,
            Gt(multiply_add * P * W * one_token, GROWTH * N),
            "what grows with the context goes to one side",
        ),
        divide(GROWTH, CLAIM, "by what a token of context adds, which is positive"),
    ),
    measured_by="clock.crossover_exists",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096},
)
