"""Bytes of a sequence that a device moves in a prefill

The pass makes keys and values of every token of the prompt, those of a window too, and reads them once.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.cache_bytes_per_device import FORMULA as cache_bytes_per_device
from symbolic_llm.notation import D_prompt_device, N, m_device
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_prompt_device, m_device * N),
    models=CACHED,
    uses=(cache_bytes_per_device,),
    steps=(
        premise(m_device, "what a device keeps of a token"),
        multiply(N, CLAIM, "for every token of the prompt"),
    ),
    measured_by="devices.prompt_bytes_read",
    example={"model": "llama-2-70b", "cache": "fp16", "N": 4096, "n_tensor": 8},
)
