"""A mixed step part by part is faster than one without overlap

As step_bounds_above, for a step with a chunk of a prompt: Σ max(C, M) < ΣC + ΣM, where C is the arithmetic and M the
reading of a part. The bound is never tight, since every part has something to read and something to compute.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import COMPUTED, READ
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.chunked_prefill.separate_mixed_step_time import FORMULA as separate_mixed_step_time
from symbolic_llm.notation import T_target
from symbolic_llm.steps import premise, weaken
from symbolic_llm.unevaluated import Le, Lt

SUM = Le(COMPUTED + READ, T_target)
PARTS = Lt(separate_mixed_step_time.rhs, T_target)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Implication(SUM, PARTS),
    kind=Kind.THEOREM,
    uses=(mixed_step_time, separate_mixed_step_time),
    steps=(
        premise(SUM, "all arithmetic and all reading, one after the other, meet a target"),
        weaken(PARTS, "the larger of two times is less than both together, as neither is zero"),
    ),
    measured_by="clock.separate_mixed_beats_target",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "B": 32,
        "n_chunk": 256,
        "N_prompt": 1024,
        "T_target": "400 ms",
    },
)
