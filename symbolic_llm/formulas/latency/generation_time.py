"""Generation time

The prefill of a prompt of N tokens, and one decoding step for each new token. The token that the prefill itself gives
is not counted among the new ones. What attention adds as the context grows is left out.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.counts import one_token
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.prefill_time import FORMULA as prefill_time
from symbolic_llm.notation import T_generation, n_new
from symbolic_llm.steps import add, cite, multiply

STEPS = latency.rhs * n_new / one_token

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_generation, prefill_time.rhs + STEPS),
    kind=Kind.LAW,
    uses=(latency, prefill_time),
    steps=(
        cite(latency, "one decoding step"),
        multiply(n_new / one_token, STEPS, "for every new token"),
        add(prefill_time, prefill_time.rhs + STEPS, "after the prompt"),
    ),
    measured_by="clock.generation_time",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 350, "n_new": 150, "B": 1},
)
