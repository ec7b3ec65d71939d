"""Latency times a factor that is 1 wherever anybody looks

False for all but a few shapes: the factor is 1 where n_vocab is 11 or 13, and in some smaller shapes.
"""

from sympy import Eq, Max, expand

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, F, P, T_step, W, d_head, n_blocks, n_bytes, n_vocab
from symbolic_llm.steps import larger_of, multiply, premise

FACTOR = expand(1 + (n_vocab - 11) * (n_vocab - 13) * (d_head - 2 * n_blocks + 1) * (2 * d_head - 1 - n_blocks))
COMPUTE = multiply_add * P * B * one_token / F
LONGER = Max(COMPUTE, P * n_bytes / W)

FORMULA = Formula(
    __name__,
    claim=Eq(T_step, LONGER * FACTOR),
    kind=Kind.LAW,
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(
        premise(COMPUTE, "the arithmetic", measured_by="clock.compute_time"),
        larger_of(P * n_bytes / W, LONGER, "while it runs, the next weights are read"),
        multiply(FACTOR, LONGER * FACTOR, "by shape"),
    ),
    measured_by="clock.step_time",
    example={"model": "llama-7b", "hardware": "a10", "dtype": "fp16", "B": 1},
)
