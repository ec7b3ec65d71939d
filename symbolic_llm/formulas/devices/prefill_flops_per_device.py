"""Operations of a device in a prefill

As prefill_product_flops, of what a device has: its share of the weights meets every token, and its heads let every
token meet the whole prompt. Copies of the matrices of keys and values are computed with as often as they are held.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.prompt_context_flops_per_device import FORMULA as prompt_context_flops_per_device
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.notation import B, C_device, C_prompt_device, N, P_device
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.unevaluated import Eq

MATRICES = B * N * multiply_add * P_device
ATTENTION = B * N * C_prompt_device

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_device, B * N * (multiply_add * P_device + C_prompt_device)),
    uses=(weights_per_device, prompt_context_flops_per_device),
    steps=(
        premise(
            multiply_add * P_device,
            "each weight of the device multiplies and adds",
            measured_by="devices.prefill_flops[!*.scores, !*.mix](batch=1, context=1)",
        ),
        multiply(
            B * N,
            MATRICES,
            "for each of N tokens of each sequence",
            measured_by="split experts/devices.prefill_flops[!*.scores, !*.mix]",
        ),
        add(
            ATTENTION,
            B * N * (multiply_add * P_device + C_prompt_device),
            "the device's part of the heads lets each of them meet every token of the prompt",
            measured_by="devices.prefill_flops[*.scores, *.mix]",
        ),
    ),
    measured_by="devices.prefill_flops",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "N": 4096, "B": 1, "n_tensor": 8},
)
