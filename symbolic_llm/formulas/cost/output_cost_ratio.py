"""What an output token costs, in input tokens

A prompt that is long enough takes only its arithmetic, and output tokens take the same at best: from the crossover on
both cost alike. Below it a step has to wait for its weights, and its tokens cost as many input tokens as the batch goes
into the crossover. Cache and attention are left out.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.shared import DENSE_READ, one_token, prompt_is_compute_bound
from symbolic_llm.formulas.weights.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import B, D_weights, F, P_read, n_bytes, r_output
from symbolic_llm.steps import cite, divide, rewrite, substitute
from symbolic_llm.unevaluated import Eq, Max

INPUT = flops_per_token.rhs / F
OUTPUT = latency.rhs.xreplace(DENSE_READ) / (B * one_token)
LONGER = Max(1, batch_crossover.rhs / B)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(r_output, LONGER),
    kind=Kind.LAW,
    where=(prompt_is_compute_bound,),
    models=(Trait.DENSE,),
    uses=(
        weight_bytes_read,
        prompt_weight_bytes_read,
        latency,
        weights_read,
        prefill_weights_read,
        flops_per_token,
        batch_crossover,
    ),
    steps=(
        cite(latency, "one decoding step"),
        substitute(weight_bytes_read, latency.rhs.xreplace({D_weights: P_read * n_bytes}), "in one format"),
        substitute(weights_read, latency.rhs.xreplace(DENSE_READ), "that reads what every token is multiplied with"),
        divide(
            B * one_token,
            OUTPUT,
            "for each of its tokens",
            measured_by="clock.tokens_of_a_step",
        ),
        divide(
            INPUT,
            OUTPUT / INPUT,
            "over the arithmetic of an input token, which is all that it takes",
            measured_by="clock.prefill_compute_time(batch=1, context=1)",
        ),
        rewrite(LONGER, "the arithmetic is the same, and the reading is shared by the batch"),
    ),
    measured_by="money.output_to_input",
    example={"model": "llama-3-70b", "hardware": "h200-sxm", "dtype": "fp8", "N": 1024, "B": 64},
)
