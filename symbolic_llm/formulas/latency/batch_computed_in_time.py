"""Sequences whose arithmetic is done within the target

Every sequence brings the same arithmetic; this is how often it fits into the time that a decoding step may take. It
holds with experts, too: a token is multiplied with the experts that it is sent to, however many others there are.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.formulas.latency.compute_time_with_attention import PER_TOKEN
from symbolic_llm.formulas.shared import each_sequence, one_token
from symbolic_llm.notation import B_compute, F, T_target
from symbolic_llm.steps import CLAIM, premise, round_down
from symbolic_llm.unevaluated import Eq

COMPUTED = T_target * F / (one_token * PER_TOKEN)

FORMULA = Formula(
    __name__,
    claim=Eq(B_compute, each_sequence * floor(COMPUTED / each_sequence)),
    kind=Kind.LAW,
    uses=(compute_time_with_attention,),
    steps=(
        premise(
            COMPUTED,
            "for how many sequences the target is long enough, at peak arithmetic",
            measured_by="clock.batch_computed_within_target",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="clock.batch_computed_in_time",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "weights": "q4_0",
        "N": 4096,
        "T_target": "50 ms",
    },
)
