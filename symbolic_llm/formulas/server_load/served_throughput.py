"""Throughput of a server that prefills what it decodes

Tokens that a server generates in a second where prompts come in turn with decoding steps, or where some devices prefill
and others decode: the device's time is the same. Only the ratio of prompt tokens to generated ones counts, not how many
there are. Throughput of decoding alone, as most calculators give it, leaves the first term out.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.disaggregation.devices_apart import FORMULA as devices_apart
from symbolic_llm.notation import R, R_in, R_out, R_prefill, R_served
from symbolic_llm.steps import CLAIM, divide, premise, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(R_served, 1 / (R_in / (R_out * R_prefill) + 1 / R)),
    kind=Kind.LAW,
    uses=(devices_apart,),
    steps=(
        premise(R_out, "so many tokens are generated in a second", measured_by="load.tokens"),
        divide(devices_apart, R_out / devices_apart.rhs, "by so many servers, on average"),
        rewrite(CLAIM, "for each token, its share of prompts is prefilled and it is decoded"),
    ),
    measured_by="load.served_throughput",
    example={
        "model": "llama-3-8b",
        "hardware": "a100-80gb-sxm",
        "dtype": "bf16",
        "N": 1280,
        "B": 381,
        "R_in": "20480 token/s",
        "R_out": "5120 token/s",
        "R_prefill": "20.07 ktoken/s",
    },
)
