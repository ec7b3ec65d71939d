"""Time of the all-reduces of a prefill

As all_reduce_time: there are as many messages as in a decoding step, and they are longer. Of a long prompt the latency
of the links is a small part, and their bandwidth counts.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.all_reduce_time import FORMULA as all_reduce_time
from symbolic_llm.formulas.devices.all_reduce_time import LATENCIES
from symbolic_llm.formulas.devices.prompt_all_reduce_bytes import FORMULA as prompt_all_reduce_bytes
from symbolic_llm.notation import T_reduce_prompt, W_link
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

BYTES = prompt_all_reduce_bytes.rhs / W_link

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_reduce_prompt, BYTES + LATENCIES),
    kind=Kind.LAW,
    uses=(prompt_all_reduce_bytes, all_reduce_time),
    steps=(
        premise(
            LATENCIES,
            "each message waits for the one before it to arrive, as in a decoding step",
            measured_by="devices.latency_of_all_reduces_in_a_prefill",
        ),
        add(
            BYTES,
            BYTES + LATENCIES,
            "and its bytes take their time",
            measured_by="devices.transfer_of_all_reduces_in_a_prefill",
        ),
    ),
    measured_by="devices.time_of_all_reduces_in_a_prefill",
    sources=("shoeybi-2019",),
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 1,
        "n_tensor": 8,
    },
)
