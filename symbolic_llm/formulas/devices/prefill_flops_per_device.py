"""Operations of a device in a prefill

As prefill_product_flops, of what a device has: its share of the weights meets every token, its rows of the output
matrix meet the positions that get logits, and its heads let every token meet tokens of the prompt. Copies of the
matrices of keys and values are computed with as often as they are held.
"""

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.prompt_context_flops_per_device import FORMULA as prompt_context_flops_per_device
from symbolic_llm.formulas.devices.weights_per_device import FORMULA as weights_per_device
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import logits_are_of_prompt, multiply_add
from symbolic_llm.notation import B, C_device, C_prompt_device, N, N_logits, P_device, P_embedding, n_tensor
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq, Le

INSIDE = multiply_add * (P_device - P_embedding / n_tensor)
OUTPUT = B * N_logits * multiply_add * P_embedding / n_tensor
MATRICES = B * N * INSIDE + OUTPUT
ATTENTION = B * N * C_prompt_device

FORMULA = Formula(
    __name__,
    claim=Eq(C_device, MATRICES + ATTENTION),
    where=(
        Condition(Le(P_embedding / n_tensor, P_device), "the rows of the output matrix are among its weights"),
        logits_are_of_prompt,
    ),
    uses=(weights_per_device, embedding_parameters, prompt_context_flops_per_device),
    steps=(
        premise(
            INSIDE,
            "each weight of the device multiplies and adds, but for its rows of the output matrix",
            measured_by="devices.prefill_flops[!output, !*.scores, !*.mix](batch=1, logits=1, silent=0)",
        ),
        multiply(
            B * N,
            B * N * INSIDE,
            "for each of N tokens of each sequence",
            measured_by="split experts/devices.prefill_flops[!output, !*.scores, !*.mix]",
        ),
        add(
            OUTPUT,
            MATRICES,
            "these rows for each position that gets logits",
            measured_by="devices.prefill_flops[output]",
        ),
        add(
            ATTENTION,
            CLAIM,
            "the device's part of the heads lets each of them meet tokens of the prompt",
            measured_by="devices.prefill_flops[*.scores, *.mix]",
        ),
    ),
    measured_by="devices.prefill_flops",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b", "N": 4096, "B": 1, "n_tensor": 8},
)
