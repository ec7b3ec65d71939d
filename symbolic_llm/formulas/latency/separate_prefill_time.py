"""Prefill time, part by part

As prefill_time_with_attention, but matrices and attention each by themselves, as separate_latency has it for a decoding
step: the reading of the one does not fill the time in which the other computes.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prompt_context_flops import FORMULA as prompt_context_flops
from symbolic_llm.formulas.kv_cache.prompt_bytes_read import FORMULA as prompt_bytes_read
from symbolic_llm.formulas.latency.prefill_time import FORMULA as prefill_time
from symbolic_llm.notation import B, C_prompt, D_prompt, F, N, T_prefill, W
from symbolic_llm.steps import add, cite
from symbolic_llm.unevaluated import Eq, Max

ATTENTION = Max(B * N * C_prompt / F, B * D_prompt / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_prefill, prefill_time.rhs + ATTENTION),
    kind=Kind.LAW,
    uses=(prefill_time, prompt_context_flops, prompt_bytes_read),
    steps=(
        cite(prefill_time, "the matrices, with all weights read once"),
        add(
            ATTENTION,
            prefill_time.rhs + ATTENTION,
            "then attention: every token meets all of its prompt, and every key and value is read once",
            measured_by="clock.prefill_attention_time",
        ),
    ),
    measured_by="clock.separate_prefill_time",
    example={"model": "llama-3-70b", "hardware": "h100-sxm", "dtype": "fp8", "N": 8192, "B": 1},
)
