"""Time of reading the weights after a fixed overhead

Launching kernels, sampling and scheduling take their time whatever the weights take. W is the bandwidth that is
reached, which is below the one of the datasheet.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.notation import T_overhead, T_read
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_read, T_overhead + memory_time.rhs),
    kind=Kind.LAW,
    uses=(memory_time,),
    steps=(
        cite(memory_time, "the weights"),
        add(T_overhead, CLAIM, "are read when the overhead is over"),
    ),
    measured_by="clock.read_time_after_overhead",
    example={
        "model": "llama-2-7b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "weights": "int4",
        "T_overhead": "3 ms",
    },
)
