"""Time of a prefill on several devices, part by part

As tensor_parallel_prefill_time, but matrices and attention each by themselves on every device, as separate_prefill_time
has it for one: the reading of the one does not fill the time in which the other computes.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.prefill_flops_per_device import ATTENTION as OF_ATTENTION
from symbolic_llm.formulas.devices.prefill_flops_per_device import FORMULA as prefill_flops_per_device
from symbolic_llm.formulas.devices.prefill_flops_per_device import MATRICES as OF_MATRICES
from symbolic_llm.formulas.devices.tensor_parallel_prefill_time import FORMULA as tensor_parallel_prefill_time
from symbolic_llm.formulas.devices.tensor_parallel_prefill_time import MESSAGES, READ_CACHE, READ_WEIGHTS
from symbolic_llm.notation import F, T_prefill, W
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

MATRICES, ATTENTION = Max(OF_MATRICES / F, READ_WEIGHTS / W), Max(OF_ATTENTION / F, READ_CACHE / W)
SHARE = MATRICES + ATTENTION

FORMULA = Formula(
    __name__,
    claim=Eq(T_prefill, SHARE + MESSAGES),
    kind=Kind.LAW,
    where=prefill_flops_per_device.where,
    uses=(tensor_parallel_prefill_time, all_reduce_time),
    steps=(
        premise(
            OF_MATRICES / F,
            "the arithmetic of a device's matrices",
            measured_by="devices.prefill_compute_time[!*.scores, !*.mix]",
        ),
        larger_of(
            READ_WEIGHTS / W,
            MATRICES,
            "while it runs, the device reads its weights",
            measured_by="devices.prefill_share_time_of_matrices",
        ),
        add(
            ATTENTION,
            SHARE,
            "then attention, with the device's part of keys and values",
            measured_by="devices.prefill_share_time_of_attention",
        ),
        add(
            MESSAGES,
            CLAIM,
            "then the sums of all devices are made, as in a decoding step of as many sequences",
            measured_by="devices.time_of_all_reduces_in_a_prefill",
        ),
    ),
    measured_by="devices.separate_prefill_time",
    sources=("shoeybi-2019",),
    example={**tensor_parallel_prefill_time.example, "N": 8192},
)
