"""Matrix products of a prefill

Every token of the prompt meets every other, the future ones too, whose scores are masked afterwards, and so are those
beyond a window; every position gets its logits: the convention of PyTorch's flop counter.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prompt_context_flops import FORMULA as prompt_context_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.notation import B, C_prefill, C_prompt, N, P
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.unevaluated import Eq

PER_TOKEN = multiply_add * P + C_prompt

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * N * PER_TOKEN),
    uses=(total_parameters, prompt_context_flops),
    steps=(
        premise(
            multiply_add * P,
            "each weight multiplies and adds",
            measured_by="prefill.flops_of_weights(batch=1, context=1)",
        ),
        multiply(
            B * N,
            B * N * multiply_add * P,
            "for each of N tokens of each sequence",
            measured_by="prefill.flops_of_weights",
        ),
        add(B * N * C_prompt, B * N * PER_TOKEN, "each of them meets every token of the prompt, or the states"),
    ),
    measured_by="prefill.product_flops",
    sources=("kipply-2022",),
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
