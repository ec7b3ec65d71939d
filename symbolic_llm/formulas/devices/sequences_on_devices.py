"""Whole sequences that fit on several devices

Of devices that share every layer each holds a part of every sequence, so the room of one decides. Devices behind it, in
other stages, each take their part of the blocks: p stages hold like one whose devices have p times the memory, as long
as they are equally full. No way to deal blocks, embedding and output matrix out to stages has room for more; where one
stage is fuller than the others, there is room for fewer.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.context_bytes_per_device import FORMULA as context_bytes_per_device
from symbolic_llm.formulas.devices.footprint_per_device import FORMULA as footprint_per_device
from symbolic_llm.formulas.devices.weights_held_per_device import FORMULA as weights_held_per_device
from symbolic_llm.formulas.shared import each_sequence
from symbolic_llm.notation import B_devices, M, M_seq_device, P_held, n_bytes, n_stages
from symbolic_llm.steps import CLAIM, divide, premise, round_down
from symbolic_llm.unevaluated import Eq, Gt

LEFT = n_stages * M - P_held * n_bytes
weights_fit_on_devices = Condition(
    Gt(n_stages * M, P_held * n_bytes),
    "the weights leave room in the memory of all stages",
    "the weights alone do not fit",
)

FORMULA = Formula(
    __name__,
    claim=Eq(B_devices, each_sequence * floor(LEFT / (M_seq_device * each_sequence))),
    where=(weights_fit_on_devices,),
    uses=(weights_held_per_device, context_bytes_per_device, footprint_per_device),
    steps=(
        premise(
            LEFT,
            "what the weights leave of the memory of a device and of those behind it",
            measured_by="devices.memory_left",
        ),
        divide(
            M_seq_device,
            LEFT / M_seq_device,
            "each sequence takes of them what they keep of it",
            measured_by="devices.bytes_held[cache.*](batch=1)",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="devices.sequences_that_fit",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "n_tensor": 4,
        "n_stages": 2,
    },
)
