"""Memory bandwidth utilisation (MBU)

The share of the bandwidth that a measured decoding step uses: the time that reading weights and cache would take at
full bandwidth, over the measured time. The rest of the time goes to something else than reading.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.notation import T_measured, U_memory
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(U_memory, memory_time_with_cache.rhs / T_measured),
    kind=Kind.DEFINITION,
    uses=(memory_time_with_cache,),
    steps=(
        cite(memory_time_with_cache, "at full bandwidth"),
        divide(T_measured, CLAIM, "for the time it took"),
    ),
    unmeasured="it is what a measured time is called in relation to an ideal one; the engine has no time of its own",
    sources=("databricks-2023",),
    example={
        "model": "llama-2-7b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 512,
        "B": 1,
        "T_measured": "14 ms",
    },
)
