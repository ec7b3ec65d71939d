"""Devices beyond which a token gets slower

One more device pays while t(t + 1) is below the bound of one_more_device; of a quadratic inequality that is a root. It
grows with the square root of the work: four times the work, twice the devices. The largest of the fastest numbers is
given, if two are equally fast, and 1 where even a second device costs more than it saves.
"""

from symbolic_llm.algebra import floor, sqrt
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_bytes import FORMULA as all_reduce_bytes
from symbolic_llm.formulas.devices.all_reduce_bytes import VECTORS
from symbolic_llm.formulas.devices.one_more_device import FORMULA as one_more_device
from symbolic_llm.formulas.devices.one_more_device import ROUNDS
from symbolic_llm.notation import T_alone, T_link, W_link, n_fastest
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq, Max

BOUND = (T_alone - ROUNDS * VECTORS / W_link) / (ROUNDS * T_link)
FASTEST = floor((1 + sqrt(1 + 4 * Max(0, BOUND))) / 2)

FORMULA = Formula(
    __name__,
    claim=Eq(n_fastest, FASTEST),
    kind=Kind.LAW,
    uses=(all_reduce_bytes, one_more_device),
    steps=(premise(FASTEST, "the last number at which the device before has paid"),),
    measured_by="devices.fastest",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "B": 1,
        "T_alone": "69 ms",
    },
)
