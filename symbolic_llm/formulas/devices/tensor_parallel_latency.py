"""Latency of a decoding step on several devices

Every device does its share of the arithmetic and reads its share of weights and cache, and then the all-reduces take
their time; nothing overlaps them. Of the bytes of weights it reads as large a share as of the weights, whatever
formats these are in. Of experts those are read that the batch is expected to pick, as on one device.
Shares are taken to be equal: where heads cannot be dealt out evenly, the device that has the most of them is waited
for, and the step takes longer.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.context_bytes_read_per_device import FORMULA as context_bytes_read_per_device
from symbolic_llm.formulas.devices.context_flops_per_device import FORMULA as context_flops_per_device
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.devices.weights_read_per_device import FORMULA as weights_read_per_device
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
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

ARITHMETIC = B * one_token * (multiply_add * P_device + C_seq_device) / F
READING = (D_weights * P_read_device / P_read + B * D_seq_device) / W
SHARE = Max(ARITHMETIC, READING)

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, SHARE + all_reduce_time.rhs),
    kind=Kind.LAW,
    uses=(
        weights_per_device,
        weights_read_per_device,
        weights_read,
        weight_bytes_read,
        context_flops_per_device,
        context_bytes_read_per_device,
        all_reduce_time,
    ),
    steps=(
        premise(ARITHMETIC, "the arithmetic of a device", measured_by="devices.compute_time"),
        larger_of(
            READING,
            SHARE,
            "while it runs, the device reads its weights and keys",
            measured_by="devices.share_time",
        ),
        add(all_reduce_time, CLAIM, "then the sums of all devices are made"),
    ),
    measured_by="devices.step_time",
    sources=("shoeybi-2019",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 1,
        "n_tensor": 8,
    },
)
