"""What an output token costs, in input tokens, with cache reads

The time of a step for each of its tokens, over the time of a prefill of the same batch for each of the prompts' tokens,
of which there are N in each. The output tokens are those right after the prompt, which is long enough to be limited by
arithmetic. Without cache and attention, an output token costs as many input tokens as the batch goes into the batch
crossover, and one from the crossover on.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.latency.prefill_time_with_attention import ARITHMETIC
from symbolic_llm.formulas.latency.prefill_time_with_attention import FORMULA as prefill_time_with_attention
from symbolic_llm.formulas.shared import one_token, prompt_with_attention_is_compute_bound
from symbolic_llm.notation import C_prefill, F, N, T_step, r_output
from symbolic_llm.steps import CLAIM, divide, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(r_output, N * F * T_step / (one_token * C_prefill)),
    kind=Kind.LAW,
    models=STATELESS,
    where=(prompt_with_attention_is_compute_bound,),
    uses=(latency_with_cache, prefill_product_flops, prefill_time_with_attention),
    steps=(
        premise(T_step, "one decoding step", measured_by="clock.step_time_with_cache"),
        divide(ARITHMETIC, T_step / ARITHMETIC, "over one prefill", measured_by="clock.prefill_time_with_cache"),
        multiply(N / one_token, CLAIM, "which is for N times as many tokens"),
    ),
    measured_by="money.output_to_input_with_cache",
    example={"model": "llama-3-70b", "hardware": "h200-sxm", "dtype": "fp8", "N": 4096, "B": 32},
)
