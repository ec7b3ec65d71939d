"""Prefill devices for each decode device

The ratio at which both kinds are equally busy: with fewer that prefill, those that decode run out of work, with more,
prompts wait for them. Only the ratio of prompt tokens to generated tokens counts, not how many there are.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.apart.prefill_throughput import FORMULA as prefill_throughput
from symbolic_llm.formulas.latency.throughput_with_cache import FORMULA as throughput_with_cache
from symbolic_llm.notation import R, R_in, R_out, R_prefill, r_apart
from symbolic_llm.steps import divide, premise, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(r_apart, R_in * R / (R_out * R_prefill)),
    kind=Kind.LAW,
    uses=(prefill_throughput, throughput_with_cache),
    steps=(
        premise(R_in / R_prefill, "devices that only prefill", measured_by="apart.prefill_machines"),
        divide(R_out / R, R_in / R_prefill / (R_out / R), "over devices that only decode"),
        rewrite(R_in * R / (R_out * R_prefill), "what is divided by twice stands above"),
    ),
    measured_by="apart.balance",
    sources=("deepseek-2025",),
    example={
        "R_in": "608 Gtoken/day",
        "R_out": "168 Gtoken/day",
        "R_prefill": "73.7 ktoken/s",
        "R": "14.8 ktoken/s",
    },
)
