"""Throughput of a pipeline

Tokens in a second while micro-batches go through all stages once. One micro-batch alone keeps one stage busy at a time;
each more of them brings its tokens in the time of one stage.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.pipeline_time import FORMULA as pipeline_time
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, R, T_pipeline, n_micro
from symbolic_llm.steps import CLAIM, divide, premise, substitute
from symbolic_llm.unevaluated import Eq

TOKENS = n_micro * B * one_token

FORMULA = Formula(
    __name__,
    claim=Eq(R, TOKENS / pipeline_time.rhs),
    kind=Kind.LAW,
    uses=(pipeline_time,),
    steps=(
        premise(
            TOKENS,
            "each micro-batch has so many sequences, and a step gives each of them one token",
            measured_by="stages.tokens",
        ),
        divide(T_pipeline, TOKENS / T_pipeline, "in the time until all are through"),
        substitute(pipeline_time, CLAIM, "which is that of the pipeline"),
    ),
    measured_by="stages.throughput",
    sources=("huang-2018",),
    example={"n_micro": 4, "B": 16, "n_stages": 4, "T_stage": "5 ms", "T_hop": "20 us"},
)
