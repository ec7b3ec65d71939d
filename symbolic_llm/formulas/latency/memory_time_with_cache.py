"""Memory time with cache reads

The weights are read once for all sequences, the cache of each sequence for it alone.
"""

from symbolic_llm.architecture import CACHED
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_total import FORMULA as kv_bytes_total
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.notation import P_read, T_memory_cache, W, n_bytes
from symbolic_llm.steps import add, divide, premise
from symbolic_llm.written import Eq

READ = P_read * n_bytes + kv_bytes_total.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory_cache, READ / W),
    models=CACHED,
    kind=Kind.LAW,
    uses=(weights_read, kv_bytes_total),
    steps=(
        premise(
            P_read * n_bytes,
            "the weights that the step multiplies with",
            measured_by="decode.bytes_moved[!embedding, !*.cache]",
        ),
        add(kv_bytes_total, READ, "and the cache"),
        divide(W, READ / W, "at full bandwidth"),
    ),
    measured_by="clock.memory_time_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
