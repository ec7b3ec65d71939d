"""The crossover stays where arithmetic doubles as bytes halve

Where peak arithmetic doubles as bytes halve, as on GPUs that compute in the format they store, the crossover stays.
With weights alone quantised and arithmetic in 16 bits, it falls with the bytes.
"""

from symbolic_llm.claims import Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.batching.batch_crossover import FORMULA as batch_crossover
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import F_2, F, W, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

CONSTANT = Eq(n_bytes * F, n_bytes_2 * F_2)

FORMULA = Formula(
    __name__,
    claim=Implication(CONSTANT, Eq(batch_crossover.rhs, batch_crossover.rhs.xreplace({F: F_2, n_bytes: n_bytes_2}))),
    kind=Kind.THEOREM,
    uses=(batch_crossover,),
    steps=(
        premise(CONSTANT, "arithmetic is as many times faster as numbers are smaller"),
        divide(multiply_add * one_token * W, CLAIM, "by 2W: on either side a crossover"),
    ),
    unmeasured="compares two machines that differ in their datasheets; each crossover is measured by batch_crossover",
    sources=("timbers-2023",),
    example={
        "F": "312 TFLOP/s",
        "n_bytes": 2,
        "F_2": "1248 TFLOP/s",
        "n_bytes_2": 0.5,
        "W": "1935 GB/s",
    },
)
