"""Weights held on a device of a model with experts

As weights_held_per_device; of every expert, asked or not, each device has its slice. The router it has whole, since
every device has to know where a token is sent, and so it has the gate of a shared expert.
"""

from sympy import Eq, Le

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.cache_bytes_per_device import COPIES
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.formulas.experts.all_expert_weights_read import FORMULA as all_expert_weights_read
from symbolic_llm.formulas.shared import KEYS_AND_VALUES
from symbolic_llm.notation import P_all, P_held, P_routers, P_total, n_tensor
from symbolic_llm.steps import add, premise

WHOLE = P_total - P_all + P_routers
OTHERS = (P_all - P_routers - KEYS_AND_VALUES) / n_tensor
COPIED = KEYS_AND_VALUES * COPIES / n_tensor
all_is_held = Condition(
    Le(P_all, P_total, evaluate=False),
    "what is multiplied is among what is held",
    "more weights are multiplied than are held",
)
routers_are_multiplied = Condition(
    Le(P_routers + KEYS_AND_VALUES, P_all, evaluate=False),
    "routers and the matrices of keys and values are among the weights that are multiplied",
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_held, WHOLE + OTHERS + COPIED),
    where=(all_is_held, routers_are_multiplied),
    models=(Trait.EXPERTS, Trait.GROUPED, *STATELESS),
    uses=(all_expert_weights_read, cache_bytes_per_device),
    steps=(
        premise(
            WHOLE,
            "what is not multiplied, and the routers, every device has whole",
            measured_by="devices.weights_held[*.embedding, *norm*, *.router]",
        ),
        add(
            OTHERS,
            WHOLE + OTHERS,
            "of experts and other matrices each device has a share",
            measured_by="devices.weights_held[!*.embedding, !*norm*, !*.router, !*.key, !*.value]",
        ),
        add(
            COPIED,
            WHOLE + OTHERS + COPIED,
            "those of keys and values are where their heads are",
            measured_by="devices.weights_held[*.key, *.value]",
        ),
    ),
    measured_by="devices.weights_held",
    sources=("shoeybi-2019",),
    example={"model": "mixtral-8x7b", "n_tensor": 8},
)
