"""Operations of a new token with what a device keeps

Each device has its part of the query heads, and of those with states, and each head does what the others do, so the
work is shared out with them: copies of what is kept make no more of it.
"""

from symbolic_llm.architecture import UNPICKED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.context_flops import FORMULA as context_flops
from symbolic_llm.notation import C_seq, C_seq_device, n_tensor
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_seq_device, C_seq / n_tensor),
    models=UNPICKED,
    uses=(context_flops,),
    steps=(
        premise(C_seq, "all heads together"),
        divide(n_tensor, CLAIM, "as many of them on each device, on average"),
    ),
    measured_by="devices.context_flops",
    example={"model": "llama-2-70b", "N": 4096, "n_tensor": 8},
)
