"""Weights of keys and values on a device

Their matrices follow their heads, as the cache does: shared out while there are heads enough. Beyond that each more
device has those of some head once more.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.cache_bytes_per_device import COPIES
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.formulas.shared import KEYS_AND_VALUES
from symbolic_llm.notation import P_kv_device, n_tensor
from symbolic_llm.steps import divide, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_kv_device, KEYS_AND_VALUES * COPIES / n_tensor),
    models=(Trait.GROUPED, *STATELESS),
    uses=(cache_bytes_per_device,),
    steps=(
        premise(
            KEYS_AND_VALUES * COPIES,
            "all devices together have them once, or as often as there are devices for a head",
            measured_by="devices.key_value_weights_together",
        ),
        divide(n_tensor, KEYS_AND_VALUES * COPIES / n_tensor, "a device in the mean"),
    ),
    measured_by="devices.key_value_weights",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "n_tensor": 16},
)
