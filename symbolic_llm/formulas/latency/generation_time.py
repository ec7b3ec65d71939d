"""Generation time

The prefill of a prompt of N tokens, and one decoding step for each new token. The token that the prefill itself gives
is not counted among the new ones. What attention adds as the context grows is left out.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.shared import one_token, prompt_is_compute_bound
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.notation import B, F, N, T_generation, n_new
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

PROMPT = flops_per_token.rhs * B * N / F
STEPS = latency.rhs * n_new / one_token

FORMULA = Formula(
    __name__,
    claim=Eq(T_generation, PROMPT + STEPS),
    kind=Kind.LAW,
    where=(prompt_is_compute_bound,),
    uses=(latency, flops_per_token, prompt_weight_bytes_read),
    steps=(
        premise(PROMPT, "a prompt that is limited by arithmetic", measured_by="clock.prefill_time"),
        add(STEPS, CLAIM, "then a decoding step for every new token"),
    ),
    measured_by="clock.generation_time",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 350, "n_new": 150, "B": 1},
)
