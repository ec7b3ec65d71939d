"""One pass over a prompt and a step takes no longer than two

Whatever time a prefill and a decoding step meet one after the other, one pass over the tokens of both meets: it reads
the weights once, and computes with the prompt while it reads for the step. So devices that do both have work for fewer
of them than devices apart. Cache and attention are left out.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.latency import FORMULA as latency
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import B, F, P, T_target, n_chunk
from symbolic_llm.steps import CLAIM, premise, weaken
from symbolic_llm.unevaluated import Le, Max

READING = memory_time.rhs.xreplace(DENSE_READ)
PREFILL = Max(multiply_add * P * n_chunk / F, READING)
MIXED = Max(multiply_add * P * (B * one_token + n_chunk) / F, READING)
TWO = Le(PREFILL + latency.rhs.xreplace(DENSE_READ), T_target)

FORMULA = Formula(
    __name__,
    claim=Implication(TWO, Le(MIXED, T_target)),
    kind=Kind.THEOREM,
    models=(Trait.DENSE, Trait.FULL),
    uses=(latency, memory_time, weights_read),
    steps=(
        premise(TWO, "a prefill and a step, one after the other, meet a target"),
        weaken(CLAIM, "together they compute as much, and read the weights once instead of twice"),
    ),
    measured_by="apart.mixed_within_target",
    example={
        "model": "llama-3-70b",
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "B": 64,
        "n_chunk": 512,
        "T_target": "60 ms",
    },
)
