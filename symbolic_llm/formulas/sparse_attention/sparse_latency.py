"""Time of a decoding step with sparse attention

The larger of its two times, if all reading overlaps with all arithmetic.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.sparse_attention.sparse_compute_time import FORMULA as sparse_compute_time
from symbolic_llm.formulas.sparse_attention.sparse_memory_time import FORMULA as sparse_memory_time
from symbolic_llm.notation import T_step
from symbolic_llm.steps import cite, larger_of
from symbolic_llm.written import Eq, Max

LONGER = Max(sparse_compute_time.rhs, sparse_memory_time.rhs)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_step, LONGER),
    kind=Kind.LAW,
    uses=(sparse_compute_time, sparse_memory_time),
    steps=(
        cite(sparse_compute_time, "the arithmetic"),
        larger_of(sparse_memory_time, LONGER, "while it runs, the next weights, keys and latent vectors are read"),
    ),
    measured_by="picked experts/clock.step_time_with_cache",
    example={"model": "deepseek-v3.2", "hardware": "h200-sxm", "dtype": "fp8", "N": 65536, "B": 16},
)
