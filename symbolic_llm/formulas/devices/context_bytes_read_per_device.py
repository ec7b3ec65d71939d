"""Bytes of a sequence that a device moves in a decoding step

A new token meets all that the device keeps, so all of it is read.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.context_bytes_per_device import FORMULA as context_bytes_per_device
from symbolic_llm.notation import D_seq_device, M_seq_device
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_seq_device, M_seq_device),
    models=CACHED,
    uses=(context_bytes_per_device,),
    steps=(premise(M_seq_device, "what the device keeps is read once"),),
    measured_by="devices.context_bytes_read",
    example={"model": "llama-2-70b", "cache": "fp16", "N": 4096, "n_tensor": 8},
)
