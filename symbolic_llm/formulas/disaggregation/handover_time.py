"""Time to hand a KV cache over

From a device that has read the prompts to one that decodes, over the link between them: what is kept of each sequence,
no more for a longer prompt where a window or a state keeps no more. The answer goes on when it has arrived.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.notation import T_handover, W_transfer
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_handover, kv_bytes_total.rhs / W_transfer),
    kind=Kind.LAW,
    uses=(kv_bytes_total,),
    steps=(
        cite(kv_bytes_total, "the caches of the batch, as they are stored"),
        divide(W_transfer, CLAIM, "at the full bandwidth of the link"),
    ),
    measured_by="apart.handover_time",
    example={"model": "llama-3-70b", "cache": "fp16", "N": 4096, "B": 1, "W_transfer": "50 GB/s"},
)
