"""Prefill time

All tokens of the prompts, N of each sequence, go through the model in one pass, during which the weights are read once.
A prompt longer than the token crossover is limited by arithmetic; the shortest takes as long as a decoding step. What
attention does and reads is left out.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.notation import B, D_weights_prompt, F, N, T_prefill, W
from symbolic_llm.steps import CLAIM, cite, larger_of, multiply
from symbolic_llm.unevaluated import Eq, Max

READING = D_weights_prompt / W

FORMULA = Formula(
    __name__,
    claim=Eq(T_prefill, Max(flops_per_token.rhs * B * N / F, READING)),
    kind=Kind.LAW,
    uses=(flops_per_token, prompt_weight_bytes_read, total_parameters),
    steps=(
        cite(flops_per_token, "the operations of one token, without attention"),
        multiply(
            B * N / F,
            flops_per_token.rhs * B * N / F,
            "for every token of every prompt, at peak arithmetic",
            measured_by="clock.prefill_compute_time(silent=0)",
        ),
        larger_of(READING, CLAIM, "while it runs, the weights are read"),
    ),
    measured_by="clock.prefill_time",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 350, "B": 1},
)
