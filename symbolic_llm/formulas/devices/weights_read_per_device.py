"""Weights that a device reads in a decoding step

What a token is multiplied with there, and of the experts that only other tokens pick an even part: of every expert each
device has a slice. With a larger batch the experts become more, and what every device has whole does not.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import P, P_device, P_read, P_read_device, n_tensor
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

MORE = (P_read - P) / n_tensor

FORMULA = Formula(
    __name__,
    claim=Eq(P_read_device, P_device + MORE),
    uses=(weights_per_device, weights_read),
    steps=(
        premise(P_device, "as for one token alone", measured_by="devices.weights_read(batch=1)"),
        add(MORE, CLAIM, "and slices of the experts that only other tokens pick"),
    ),
    measured_by="devices.weights_read",
    sources=("shoeybi-2019", "jiang-2024"),
    example={"model": "mixtral-8x7b", "B": 64, "n_tensor": 8},
)
