"""Bytes sent to experts and back

Experts are shared out over devices, and so are the tokens. The vector of a token goes to the device of each expert that
it picks, and back comes what the expert makes of it; the share of a device's own experts stays where it is.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_bytes import FORMULA as all_reduce_bytes
from symbolic_llm.formulas.devices.all_reduce_bytes import VECTORS
from symbolic_llm.notation import D_exchange, n_active, n_expert_devices, n_moe
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

there_and_back = count(2, "ways: to the expert and back")
ELSEWHERE = VECTORS * n_active * (n_expert_devices - 1) / n_expert_devices**2

FORMULA = Formula(
    __name__,
    claim=Eq(D_exchange, n_moe * there_and_back * ELSEWHERE),
    models=(Trait.EXPERTS,),
    uses=(all_reduce_bytes,),
    steps=(
        premise(
            ELSEWHERE,
            "a device has its part of the tokens, and sends each to k experts, most of which are elsewhere",
            measured_by="experts.bytes_exchanged[there](n_moe=1)",
        ),
        multiply(
            there_and_back,
            there_and_back * ELSEWHERE,
            "as much comes back",
            measured_by="experts.bytes_exchanged(n_moe=1)",
        ),
        multiply(n_moe, CLAIM, "in every block with experts"),
    ),
    measured_by="experts.bytes_exchanged",
    example={"model": "deepseek-v2", "dtype": "fp16", "B": 128, "n_expert_devices": 8},
)
