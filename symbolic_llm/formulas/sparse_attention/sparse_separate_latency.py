"""Time of a decoding step whose sparse attention waits for the matrices

Each of the two overlaps its own reading with its own arithmetic, and neither that of the other.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.sparse_attention.sparse_attention_bytes import FORMULA as sparse_attention_bytes
from symbolic_llm.formulas.sparse_attention.sparse_attention_flops import FORMULA as sparse_attention_flops
from symbolic_llm.notation import B, F, T_step, W
from symbolic_llm.steps import add, cite, larger_of
from symbolic_llm.written import Eq, Max

MATRICES = Max(compute_time.rhs, memory_time.rhs)
ATTENTION = Max(B * one_token * sparse_attention_flops.rhs / F, B * sparse_attention_bytes.rhs / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, MATRICES + ATTENTION),
    models=(Trait.LATENT, Trait.PICKED),
    kind=Kind.LAW,
    uses=(compute_time, memory_time, sparse_attention_flops, sparse_attention_bytes),
    steps=(
        cite(compute_time, "the arithmetic of the matrices"),
        larger_of(memory_time, MATRICES, "while it runs, the weights are read"),
        add(
            ATTENTION,
            MATRICES + ATTENTION,
            "then indexes and attention, while keys and latent vectors are read",
            measured_by="picked experts/clock.attention_time",
        ),
    ),
    measured_by="picked experts/clock.separate_step_time",
    example={"model": "deepseek-v3.2", "hardware": "h200-sxm", "dtype": "fp8", "N": 65536, "B": 16},
)
