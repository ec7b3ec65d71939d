"""Memory time of a decoding step with sparse attention

The weights once, and of every sequence the keys of its indexes and the latent vectors that are picked.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.formulas.sparse_attention.sparse_attention_bytes import FORMULA as sparse_attention_bytes
from symbolic_llm.notation import B, P_read, T_memory_cache, W, n_bytes
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

WEIGHTS = P_read * n_bytes
CACHES = B * sparse_attention_bytes.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory_cache, (WEIGHTS + CACHES) / W),
    models=(Trait.LATENT, Trait.PICKED),
    kind=Kind.LAW,
    uses=(weights_read, sparse_attention_bytes),
    steps=(
        premise(
            WEIGHTS / W,
            "the weights that the step multiplies with, at full bandwidth",
            measured_by="picked/clock.memory_time_with_cache[!*.cache]",
        ),
        add(
            CACHES / W,
            (WEIGHTS + CACHES) / W,
            "what attention and indexes read of each sequence",
            measured_by="picked/clock.memory_time_with_cache[*.cache]",
        ),
    ),
    measured_by="picked/clock.memory_time_with_cache",
    example={"model": "deepseek-v3.2", "hardware": "h200-sxm", "dtype": "fp8", "N": 65536, "B": 16},
)
