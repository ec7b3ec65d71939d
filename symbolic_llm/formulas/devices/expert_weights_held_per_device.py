"""Weights held on a device of a model with experts

As weights_held_per_device; of every expert, asked or not, each device has its slice.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.expert_weights_per_device import FORMULA as expert_weights_per_device
from symbolic_llm.formulas.experts.all_expert_weights_read import FORMULA as all_expert_weights_read
from symbolic_llm.notation import P, P_all, P_device, P_held, P_total, n_tensor
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq, Le

LOOKED_UP = P_total - P_all
MATRICES = P_device + (P_all - P) / n_tensor
all_is_held = Condition(
    Le(P_all, P_total),
    "what is multiplied is among what is held",
    "more weights are multiplied than are held",
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_held, LOOKED_UP + MATRICES),
    where=(all_is_held,),
    models=(Trait.EXPERTS, *STATELESS),
    uses=(all_expert_weights_read, expert_weights_per_device),
    steps=(
        premise(
            LOOKED_UP,
            "what is not multiplied, every device has whole",
            measured_by="devices.weights_held[*.embedding, *norm*]",
        ),
        add(
            MATRICES,
            LOOKED_UP + MATRICES,
            "its share of the matrices, and slices of the experts that a token does not pick",
            measured_by="devices.weights_held[!*.embedding, !*norm*]",
        ),
    ),
    measured_by="devices.weights_held",
    sources=("shoeybi-2019",),
    example={"model": "mixtral-8x7b", "n_tensor": 8},
)
