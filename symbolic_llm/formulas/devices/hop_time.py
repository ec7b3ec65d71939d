"""Time between two stages

A stage hands the vectors of a micro-batch on to the next in one message: the latency of the link, and then the bytes.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_bytes import FORMULA as all_reduce_bytes
from symbolic_llm.formulas.devices.all_reduce_bytes import VECTORS
from symbolic_llm.notation import T_hop, T_link, W_link
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_hop, T_link + VECTORS / W_link),
    kind=Kind.LAW,
    uses=(all_reduce_bytes,),
    steps=(premise(T_link + VECTORS / W_link, "one message with the vectors of all new tokens"),),
    measured_by="stages.hop_time",
    example={"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1},
)
