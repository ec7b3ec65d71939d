"""Bytes held on a device

Its weights, and its share of every sequence's cache. Where heads are dealt out evenly every device holds as much.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.context_bytes_per_device import FORMULA as context_bytes_per_device
from symbolic_llm.formulas.devices.weights_held_per_device import FORMULA as weights_held_per_device
from symbolic_llm.notation import B, M_device, M_seq_device, P_held, n_bytes
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

WEIGHTS, CACHE = P_held * n_bytes, B * M_seq_device

FORMULA = Formula(
    __name__,
    claim=Eq(M_device, WEIGHTS + CACHE),
    uses=(weights_held_per_device, context_bytes_per_device),
    steps=(
        premise(WEIGHTS, "the weights of a device", measured_by="devices.bytes_held[weights.*]"),
        add(CACHE, CLAIM, "and its part of the caches", measured_by="devices.bytes_held[cache.*]"),
    ),
    measured_by="devices.bytes_held",
    example={"model": "llama-2-70b", "dtype": "fp16", "N": 4096, "B": 64, "n_tensor": 8},
)
