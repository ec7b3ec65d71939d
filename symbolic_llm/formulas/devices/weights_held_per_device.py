"""Weights held on a device

What is multiplied is shared out, with copies of the matrices of keys and values where devices outnumber their heads.
All else every device has whole: the embedding, in which tokens are only looked up, and the norms. Where the embedding
is the output matrix too, it is among what is multiplied, and shared out. Biases of heads and MLPs would follow their
matrices: here a decoder has none.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.notation import P, P_device, P_held, P_total
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le

WHOLE = P_total - P
multiplied_is_held = Condition(
    Le(P, P_total),
    "what is multiplied is among what is held",
    "more weights are multiplied than are held",
)

FORMULA = Formula(
    __name__,
    claim=Eq(P_held, WHOLE + P_device),
    where=(multiplied_is_held,),
    models=(Trait.DENSE, *STATELESS),
    uses=(weights_per_device,),
    steps=(
        premise(
            WHOLE,
            "what is not multiplied, every device has whole",
            measured_by="devices.weights_held[*.embedding, *norm*]",
        ),
        add(
            P_device, CLAIM, "and its share of the matrices", measured_by="devices.weights_held[!*.embedding, !*norm*]"
        ),
    ),
    measured_by="devices.weights_held",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "n_tensor": 8},
)
