"""Weights multiplied on a device with latent attention

What leads down to the latent vector and to the compressed query every device has whole, as it has routers: all heads
need both. What leads up from them is of heads, and is shared out with them, and so are MLPs, experts and vocabulary.
"""

from symbolic_llm.architecture import STATELESS, Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latent_attention.latent_down_parameters import FORMULA as latent_down_parameters
from symbolic_llm.formulas.latent_attention.query_down_parameters import FORMULA as query_down_parameters
from symbolic_llm.notation import P, P_device, P_whole, n_tensor
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq, Le

OTHERS = (P - P_whole) / n_tensor
whole_is_multiplied = Condition(
    Le(P_whole, P),
    "what every device has whole is among the weights that are multiplied",
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_device, P_whole + OTHERS),
    where=(whole_is_multiplied,),
    models=(Trait.LATENT, *STATELESS),
    uses=(latent_down_parameters, query_down_parameters),
    steps=(
        premise(
            P_whole,
            "down to latent vectors and compressed queries, and the routers",
            measured_by="devices.weights_multiplied_by_a_token[*.latent, *.query_down, *.router]",
        ),
        add(OTHERS, P_whole + OTHERS, "everything else is shared out"),
    ),
    measured_by="devices.weights_multiplied_by_a_token",
    sources=("deepseek-2024",),
    example={"model": "deepseek-v3", "n_tensor": 8},
)
