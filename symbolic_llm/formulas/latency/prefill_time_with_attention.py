"""Prefill time with attention

As prefill_time, with all matrix products of the pass, attention's too, and with the cache among what is read: every key
and value that the pass has made is read once, also those that a window forgets before its end.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.kv_cache.prompt_bytes_read import FORMULA as prompt_bytes_read
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.notation import B, C_prefill, D_prompt, D_weights_prompt, F, T_prefill, W
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

ARITHMETIC = C_prefill / F
READ = D_weights_prompt + B * D_prompt

FORMULA = Formula(
    __name__,
    claim=Eq(T_prefill, Max(ARITHMETIC, READ / W)),
    kind=Kind.LAW,
    uses=(prefill_product_flops, prompt_weight_bytes_read, prompt_bytes_read),
    steps=(
        premise(
            D_weights_prompt / W,
            "the weights are read once, at full bandwidth",
            measured_by="clock.prefill_memory_time_of_weights",
        ),
        add(
            B * D_prompt / W,
            READ / W,
            "and the key and value of every token; states are read, and written back",
            measured_by="clock.prefill_memory_time_of_sequences",
        ),
        larger_of(ARITHMETIC, CLAIM, "while it runs, the arithmetic is done"),
    ),
    measured_by="clock.prefill_time_with_cache",
    example={"model": "llama-3-70b", "hardware": "h100-sxm", "dtype": "fp8", "N": 8192, "B": 1},
)
