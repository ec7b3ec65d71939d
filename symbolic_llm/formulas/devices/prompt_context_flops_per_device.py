"""Operations on a device of a prompt's token with the others

Its part of the heads lets the token meet every token of the prompt.
"""

from symbolic_llm.architecture import UNPICKED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.causal_prompt_context_flops import FORMULA as causal_prompt_context_flops
from symbolic_llm.notation import C_prompt, C_prompt_device, n_tensor
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_prompt_device, C_prompt / n_tensor),
    models=UNPICKED,
    uses=(causal_prompt_context_flops,),
    steps=(
        premise(C_prompt, "all heads together"),
        divide(n_tensor, CLAIM, "as many of them on each device, on average"),
    ),
    measured_by="devices.prompt_context_flops",
    example={"model": "llama-2-70b", "N": 4096, "n_tensor": 8},
)
