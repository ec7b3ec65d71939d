"""Batch crossover

The batch at which the arithmetic of a decoding step takes as long as reading the weights. The size of the model
cancels: only the machine and the bytes per weight matter.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import B, B_star, F, W, n_bytes
from symbolic_llm.steps import premise, solve_for

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(B_star, n_bytes * F / (multiply_add * one_token * W)),
    kind=Kind.LAW,
    uses=(compute_time, memory_time),
    steps=(
        premise(
            Eq(compute_time.rhs.xreplace({B: B_star}), memory_time.rhs),
            "at the crossover, arithmetic takes as long as reading",
        ),
        solve_for(
            B_star,
            Eq(B_star, n_bytes * F / (multiply_add * one_token * W)),
            "for the batch; the parameters cancel",
        ),
    ),
    measured_by="clock.batch_crossover",
    sources=("timbers-2023", "kipply-2022"),
    example={"hardware": "a100-80gb-pcie", "dtype": "fp16"},
)
