"""Weights that a device reads in a prefill

As weights_read_per_device. A prompt of a few dozen tokens is likely to use nearly all experts, and then each device
reads its slice of all of them, once for all tokens.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.memory.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.notation import P, P_device, P_prompt, P_prompt_device, n_tensor
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

MORE = (P_prompt - P) / n_tensor

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_prompt_device, P_device + MORE),
    models=STATELESS,
    uses=(weights_per_device, prefill_weights_read),
    steps=(
        premise(P_device, "as for one token alone", measured_by="devices.weights_read_by_a_prompt(batch=1, context=1)"),
        add(MORE, P_device + MORE, "and slices of the experts that only other tokens pick"),
    ),
    measured_by="devices.weights_read_by_a_prompt",
    sources=("shoeybi-2019", "jiang-2024"),
    example={"model": "mixtral-8x7b", "N": 4096, "B": 1, "n_tensor": 8},
)
