"""Prefill time, part by part

As prefill_time_with_attention, but matrices and attention each by themselves, as separate_latency has it for a decoding
step: the reading of the one does not fill the time in which the other computes.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.compute.prefill_product_flops import OF_ATTENTION, OF_WEIGHTS
from symbolic_llm.formulas.kv_cache.prompt_bytes_read import FORMULA as prompt_bytes_read
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.notation import B, D_prompt, D_weights_prompt, F, T_prefill, W
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

MATRICES = Max(OF_WEIGHTS / F, D_weights_prompt / W)
ATTENTION = Max(OF_ATTENTION / F, B * D_prompt / W)

FORMULA = Formula(
    __name__,
    claim=Eq(T_prefill, MATRICES + ATTENTION),
    kind=Kind.LAW,
    where=prefill_product_flops.where,
    uses=(prefill_product_flops, prompt_weight_bytes_read, prompt_bytes_read),
    steps=(
        premise(
            OF_WEIGHTS / F,
            "the arithmetic of the matrices, the output matrix for the positions that get logits",
            measured_by="clock.prefill_compute_time",
        ),
        larger_of(
            D_weights_prompt / W,
            MATRICES,
            "while it runs, all weights are read",
            measured_by="clock.prefill_time_of_matrices",
        ),
        add(
            ATTENTION,
            CLAIM,
            "then attention: every token meets tokens of its prompt, and every key and value is read once",
            measured_by="clock.prefill_attention_time",
        ),
    ),
    measured_by="clock.separate_prefill_time",
    example={"model": "llama-3-70b", "hardware": "h100-sxm", "dtype": "fp8", "N": 8192, "B": 1},
)
