"""Throughput of decoding with sparse attention"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.sparse_attention.sparse_latency import FORMULA as sparse_latency
from symbolic_llm.notation import B, R
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(R, B * one_token / sparse_latency.rhs),
    kind=Kind.LAW,
    uses=(sparse_latency,),
    steps=(
        premise(
            B * one_token, "a step gives each sequence one token", measured_by="picked experts/clock.tokens_of_a_step"
        ),
        divide(sparse_latency, B * one_token / sparse_latency.rhs, "in the time of a step"),
    ),
    measured_by="picked experts/clock.throughput_with_cache",
    example={"model": "deepseek-v3.2", "hardware": "h200-sxm", "dtype": "fp8", "N": 65536, "B": 16},
)
