"""A mixed step part by part is faster than one without overlap

The bound of step_bounds_above, Σ max(C, M) < ΣC + ΣM, for a step that takes in a chunk as well.
"""

from sympy import Le, Lt

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import COMPUTED, READ
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.chunked_prefill.separate_mixed_step_time import FORMULA as separate_mixed_step_time
from symbolic_llm.notation import T_target
from symbolic_llm.steps import premise, weaken

SUM = Le(COMPUTED + READ, T_target, evaluate=False)
PARTS = Lt(separate_mixed_step_time.rhs, T_target, evaluate=False)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Implication(SUM, PARTS),
    kind=Kind.THEOREM,
    uses=(separate_mixed_step_time, mixed_step_time),
    steps=(
        premise(SUM, "all arithmetic and all reading, one after the other, meet a target"),
        weaken(PARTS, "the larger of two times is less than both together, as neither is zero"),
    ),
    measured_by="clock.separate_mixed_within_target",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 32,
        "n_chunk": 128,
        "N_prompt": 1024,
        "T_target": "250 ms",
    },
)
