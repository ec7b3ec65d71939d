"""Time of a mixed step, part by part

As mixed_step_time, but matrices and attention each by themselves: what one computes does not fill the time in which the
other reads.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import ATTENTION, MATRICES, READ_CACHE, READ_WEIGHTS
from symbolic_llm.formulas.chunked_prefill.mixed_step_time import FORMULA as mixed_step_time
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import T_mixed_parts
from symbolic_llm.steps import CLAIM, add, larger_of, premise
from symbolic_llm.unevaluated import Eq, Max

FIRST, SECOND = Max(MATRICES, READ_WEIGHTS), Max(ATTENTION, READ_CACHE)

FORMULA = Formula(
    __name__,
    claim=Eq(T_mixed_parts, FIRST + SECOND),
    kind=Kind.LAW,
    models=(Trait.DENSE, Trait.FULL),
    uses=(mixed_step_time, total_parameters, attention_flops_per_context_token, kv_bytes_per_token),
    steps=(
        premise(
            MATRICES,
            "the arithmetic of the matrices, for decoding and for the chunk",
            measured_by="clock.mixed_compute_time[!*.scores, !*.mix]",
        ),
        larger_of(
            READ_WEIGHTS,
            FIRST,
            "while it runs, the weights are read",
            measured_by="clock.mixed_matrices_time",
        ),
        add(
            SECOND,
            CLAIM,
            "then attention, whose caches are read while it computes",
            measured_by="clock.mixed_attention_time",
        ),
    ),
    measured_by="clock.separate_mixed_step_time",
    example=mixed_step_time.example,
)
