"""Sequences whose bytes are read within the target

What the bus brings in the time that a decoding step may take: the weights once, and so many caches and states.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.memory_time_with_cache import FORMULA as memory_time_with_cache
from symbolic_llm.formulas.shared import each_sequence, weights_are_read_in_time
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.notation import B_read, D_seq, D_weights, T_target, W
from symbolic_llm.steps import CLAIM, premise, round_down
from symbolic_llm.unevaluated import Eq

READ = (T_target * W - D_weights) / D_seq

FORMULA = Formula(
    __name__,
    claim=Eq(B_read, each_sequence * floor(READ / each_sequence)),
    kind=Kind.LAW,
    where=(weights_are_read_in_time,),
    models=(Trait.DENSE,),
    uses=(memory_time_with_cache, weight_bytes_read),
    steps=(
        premise(
            READ,
            "what the bus brings within the target beside the weights, for what a sequence moves",
            measured_by="clock.batch_read_within_target",
        ),
        round_down(each_sequence, CLAIM, "only whole sequences count"),
    ),
    measured_by="clock.batch_read_in_time",
    example={
        "model": "llama-2-70b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "weights": "q4_0",
        "N": 4096,
        "T_target": "50 ms",
    },
)
