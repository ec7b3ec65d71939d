"""The largest batch that meets a target

In the time that a decoding step may take, the bus can read the weights and so many caches, and the arithmetic can be
done for so many sequences. The smaller number counts. Whether so many fit into memory is a question for
sequences_that_fit.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.batch_computed_in_time import COMPUTED
from symbolic_llm.formulas.latency.batch_computed_in_time import FORMULA as batch_computed_in_time
from symbolic_llm.formulas.latency.batch_read_in_time import FORMULA as batch_read_in_time
from symbolic_llm.formulas.latency.batch_read_in_time import READ
from symbolic_llm.formulas.latency.latency_with_cache import FORMULA as latency_with_cache
from symbolic_llm.formulas.shared import each_sequence, weights_are_read_in_time
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import B_target
from symbolic_llm.steps import CLAIM, premise, round_down, subtract
from symbolic_llm.unevaluated import Eq, Max

MORE = Max(READ, COMPUTED)
FEWER = READ + COMPUTED - MORE

FORMULA = Formula(
    __name__,
    claim=Eq(B_target, each_sequence * floor(FEWER / each_sequence)),
    kind=Kind.LAW,
    where=(weights_are_read_in_time,),
    models=(Trait.DENSE,),
    uses=(latency_with_cache, weights_read, batch_read_in_time, batch_computed_in_time),
    steps=(
        premise(
            READ,
            "what the bus brings within the target beside the weights, for what a sequence keeps",
            measured_by="clock.batch_read_within_target",
        ),
        subtract(
            MORE - COMPUTED,
            FEWER,
            "without those for which the arithmetic would take too long, none if it keeps up",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="clock.batch_within_target",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 4096,
        "T_target": "200 ms",
    },
)
