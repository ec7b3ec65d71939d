"""Time of all-reduces

A device sends its pieces one after the other, since each round waits for the one before. A message takes the latency of
the link, and then its bytes: the first part grows with every device, the second hardly does.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_bytes import FORMULA as all_reduce_bytes
from symbolic_llm.formulas.devices.all_reduces import FORMULA as all_reduces
from symbolic_llm.formulas.shared import add_and_spread
from symbolic_llm.notation import T_link, T_reduce, W_link, n_reduces, n_tensor
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

BYTES = all_reduce_bytes.rhs / W_link
LATENCIES = n_reduces * add_and_spread * (n_tensor - 1) * T_link

FORMULA = Formula(
    __name__,
    claim=Eq(T_reduce, BYTES + LATENCIES),
    kind=Kind.LAW,
    uses=(all_reduce_bytes, all_reduces),
    steps=(
        premise(
            LATENCIES,
            "each message waits for the one before it to arrive",
            measured_by="devices.latency_of_all_reduces",
        ),
        add(BYTES, CLAIM, "and its bytes take their time", measured_by="devices.transfer_of_all_reduces"),
    ),
    measured_by="devices.time_of_all_reduces",
    sources=("shoeybi-2019",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "B": 1,
        "n_tensor": 8,
    },
)
