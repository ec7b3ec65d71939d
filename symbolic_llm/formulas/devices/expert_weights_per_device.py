"""Weights multiplied on a device of a model with experts

Every expert is shared out in slices, the shared ones too, so that of those a token is sent to each device has its part.
The router is not: every device has to know where a token is sent, so each has all of it, and the gate of a shared
expert. Matrices of keys and values follow their heads, as without experts.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.key_value_weights_per_device import FORMULA as key_value_weights_per_device
from symbolic_llm.formulas.shared import KEYS_AND_VALUES
from symbolic_llm.notation import P, P_device, P_kv_device, P_whole, n_tensor
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq, Le

OTHERS = (P - P_whole - KEYS_AND_VALUES) / n_tensor
whole_is_multiplied = Condition(
    Le(P_whole + KEYS_AND_VALUES, P),
    "routers and the matrices of keys and values are among the weights that are multiplied",
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_device, P_whole + OTHERS + P_kv_device),
    where=(whole_is_multiplied,),
    models=(Trait.EXPERTS, Trait.GROUPED, *STATELESS),
    uses=(key_value_weights_per_device,),
    steps=(
        premise(
            P_whole,
            "the routers, on every device",
            measured_by="devices.weights_multiplied_by_a_token[*.router]",
        ),
        add(
            OTHERS,
            P_whole + OTHERS,
            "the experts that a token is sent to, and other matrices, are shared out",
            measured_by="devices.weights_multiplied_by_a_token[!*.router, !*.key, !*.value]",
        ),
        add(
            P_kv_device,
            P_whole + OTHERS + P_kv_device,
            "those of keys and values are where their heads are",
            measured_by="copied experts/devices.weights_multiplied_by_a_token[*.key, *.value]",
        ),
    ),
    measured_by="devices.weights_multiplied_by_a_token",
    sources=("shoeybi-2019",),
    example={"model": "mixtral-8x7b", "n_tensor": 8},
)
