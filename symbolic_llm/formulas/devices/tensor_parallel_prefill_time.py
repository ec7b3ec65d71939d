"""Time of a prefill on several devices

Every device does its share of the arithmetic, reads its share of the weights and of the keys and values that the pass
has made, and then the all-reduces take their time; nothing overlaps them. The arithmetic is shared out, but all vectors
of the prompt are sent by every device: the more devices, the larger the part of the links. Shares are taken to be
equal, as in tensor_parallel_latency.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.prefill_flops_per_device import FORMULA as prefill_flops_per_device
from symbolic_llm.formulas.devices.prompt_bytes_per_device import FORMULA as prompt_bytes_per_device
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.weights.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.formulas.weights.prompt_weight_bytes_read import FORMULA as prompt_weight_bytes_read
from symbolic_llm.notation import (
    B,
    D_prompt_device,
    D_weights_prompt,
    F,
    N,
    P,
    P_device,
    P_prompt,
    T_prefill,
    W,
    n_tensor,
)
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

ARITHMETIC = prefill_flops_per_device.rhs / F
SLICES = (P_prompt - P) / n_tensor  # of the experts that only other tokens pick
READ_WEIGHTS, READ_CACHE = D_weights_prompt * (P_device + SLICES) / P_prompt, B * D_prompt_device
READING = (READ_WEIGHTS + READ_CACHE) / W
SHARE = Max(ARITHMETIC, READING)
MESSAGES = all_reduce_time.rhs.xreplace({B: B * N / one_token})  # each token has a vector, and messages are as many

FORMULA = Formula(
    __name__,
    claim=Eq(T_prefill, SHARE + MESSAGES),
    kind=Kind.LAW,
    uses=(
        prefill_flops_per_device,
        weights_per_device,
        prefill_weights_read,
        prompt_weight_bytes_read,
        prompt_bytes_per_device,
        all_reduce_time,
    ),
    steps=(
        premise(ARITHMETIC, "the arithmetic of a device", measured_by="devices.prefill_compute_time"),
        larger_of(
            READING,
            SHARE,
            "while it runs, the device reads its weights and keys",
            measured_by="devices.prefill_share_time",
        ),
        add(
            MESSAGES,
            CLAIM,
            "then the sums of all devices are made, as in a decoding step of as many sequences",
            measured_by="devices.time_of_all_reduces_in_a_prefill",
        ),
    ),
    measured_by="devices.prefill_time",
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
