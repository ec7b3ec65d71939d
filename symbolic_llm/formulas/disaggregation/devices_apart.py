"""Devices for prompts and devices for answers

Divide the tokens that arrive in a second by those that one device handles in a second: so many devices are busy, on
average, with prompts, and so many with answers. The first term over the second says how many devices prefill for each
that decodes. That depends on the ratio of prompt tokens to generated tokens, not on how many there are. Either
throughput may be measured, and a device may be a node. If nobody is to wait, it takes more devices; how many depends on
how evenly requests arrive.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.disaggregation.prefill_throughput import FORMULA as prefill_throughput
from symbolic_llm.formulas.latency.throughput_with_cache import FORMULA as throughput_with_cache
from symbolic_llm.notation import R, R_in, R_out, R_prefill, n_apart
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(n_apart, R_in / R_prefill + R_out / R),
    kind=Kind.LAW,
    uses=(prefill_throughput, throughput_with_cache),
    steps=(
        premise(R_in / R_prefill, "devices that only prefill", measured_by="apart.prefill_machines"),
        add(R_out / R, CLAIM, "and devices that only decode"),
    ),
    measured_by="apart.machines",
    sources=("deepseek-2025",),
    example={
        "R_in": "608 Gtoken/day",
        "R_out": "168 Gtoken/day",
        "R_prefill": "73.7 ktoken/s",
        "R": "14.8 ktoken/s",
    },
)
