"""Weights multiplied on a device

Heads, MLPs and vocabulary are shared out, and with them all matrices. Those of keys and values follow their heads, so
that devices beyond the number of these heads have copies: shared out while there are heads enough, and beyond that each
more device has those of some head once more. The embedding is on every device, but only looked up.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.cache_bytes_per_device import COPIES
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.formulas.shared import KEYS_AND_VALUES
from symbolic_llm.notation import P, P_device, n_tensor
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le

OTHERS, OF_HEADS = (P - KEYS_AND_VALUES) / n_tensor, KEYS_AND_VALUES * COPIES / n_tensor
keys_and_values_are_multiplied = Condition(
    Le(KEYS_AND_VALUES, P),
    "the matrices of keys and values are among the weights that are multiplied",
)

FORMULA = Formula(
    __name__,
    claim=Eq(P_device, OTHERS + OF_HEADS),
    where=(keys_and_values_are_multiplied,),
    models=(Trait.DENSE, Trait.GROUPED, *STATELESS),
    uses=(cache_bytes_per_device,),
    steps=(
        premise(
            OTHERS,
            "all but the matrices of keys and values are shared out",
            measured_by="devices.weights_multiplied[!*.key, !*.value]",
        ),
        add(
            OF_HEADS,
            CLAIM,
            "these are where their heads are, once or as often as there are devices for a head",
            measured_by="devices.weights_multiplied[*.key, *.value]",
        ),
    ),
    measured_by="devices.weights_multiplied",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "n_tensor": 8},
)
