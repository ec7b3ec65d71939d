"""Latency of a decoding step on several devices, part by part

As tensor_parallel_latency, but matrices, and attention with any states, each by themselves on every device, as
separate_latency has it for one: the reading of the one does not fill the time in which the other computes.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.tensor_parallel_latency import FORMULA as tensor_parallel_latency
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import (
    B,
    C_seq_device,
    D_seq_device,
    D_weights,
    F,
    P_device,
    P_read,
    P_read_device,
    T_step,
    W,
)
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

WORK = B * one_token * multiply_add * P_device / F
READ = D_weights * P_read_device / (P_read * W)
MATRICES = Max(WORK, READ)
ATTENTION = Max(B * one_token * C_seq_device / F, B * D_seq_device / W)
SHARE = MATRICES + ATTENTION

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, SHARE + all_reduce_time.rhs),
    kind=Kind.LAW,
    uses=(tensor_parallel_latency, all_reduce_time),
    steps=(
        premise(
            WORK,
            "the arithmetic of a device's matrices",
            measured_by="devices.compute_time[!*.scores, !*.mix]",
        ),
        larger_of(
            READ,
            MATRICES,
            "while it runs, the device reads its weights",
            measured_by="devices.share_time_of_matrices",
        ),
        add(
            ATTENTION,
            SHARE,
            "then attention and states, with the device's part of what is kept",
            measured_by="devices.share_time_of_attention",
        ),
        add(all_reduce_time, CLAIM, "then the sums of all devices are made"),
    ),
    measured_by="devices.separate_step_time",
    sources=("shoeybi-2019",),
    example={**tensor_parallel_latency.example, "B": 256},
)
