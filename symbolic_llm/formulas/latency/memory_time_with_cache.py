"""Memory time with cache reads

The weights are read once for all sequences, the cache of each sequence for it alone. Where some blocks have a state, it
is read, and written back.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes_read import FORMULA as context_bytes_read
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import B, D_seq, D_weights, T_memory_cache, W
from symbolic_llm.steps import CLAIM, add, divide, premise
from symbolic_llm.unevaluated import Eq

READ = D_weights + B * D_seq

FORMULA = Formula(
    __name__,
    claim=Eq(T_memory_cache, READ / W),
    kind=Kind.LAW,
    uses=(weight_bytes_read, context_bytes_read),
    steps=(
        premise(
            D_weights,
            "the weights that the step multiplies with",
            measured_by="decode.bytes_of_weights",
        ),
        add(B * D_seq, READ, "and what each sequence keeps", measured_by="decode.bytes_of_sequences"),
        divide(W, CLAIM, "at full bandwidth"),
    ),
    measured_by="clock.memory_time_with_cache",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
