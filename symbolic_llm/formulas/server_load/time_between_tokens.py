"""Time per output token where prompts come in between

The mean time from one token of an answer to the next on a server that prefills between decoding steps: a step, and the
prompts that arrive meanwhile. While each sequence of the batch gets a token, as many tokens are generated as the batch
has sequences, and with them come their prompts.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.server_load.served_throughput import FORMULA as served_throughput
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, R_in, R_out, R_prefill, T_between, T_step
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

PREFILLS = B * one_token * R_in / (R_out * R_prefill)

FORMULA = Formula(
    __name__,
    claim=Eq(T_between, T_step + PREFILLS),
    kind=Kind.LAW,
    uses=(latency_with_cache, served_throughput),
    steps=(
        premise(B * one_token, "a step gives each sequence one token", measured_by="clock.tokens_of_a_step"),
        multiply(
            R_in / (R_out * R_prefill),
            PREFILLS,
            "with each token come as many of prompts, which are prefilled meanwhile",
            measured_by="load.prefills_of_a_step",
        ),
        add(T_step, CLAIM, "and a step takes its own"),
    ),
    measured_by="load.time_between_tokens",
    example=served_throughput.example,
)
