"""Batch crossover

The batch at which the arithmetic of a decoding step takes as long as reading the weights. Where every token is
multiplied with all that is read, the size of the model cancels: only the machine and the bytes per weight matter.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time import FORMULA as compute_time
from symbolic_llm.formulas.latency.memory_time import FORMULA as memory_time
from symbolic_llm.formulas.shared import DENSE_READ, multiply_add, one_token
from symbolic_llm.formulas.weights.weight_bytes_read import FORMULA as weight_bytes_read
from symbolic_llm.formulas.weights.weights_read import FORMULA as weights_read
from symbolic_llm.notation import B, B_star, D_weights, F, P_read, W, n_bytes
from symbolic_llm.steps import CLAIM, premise, solve_for, substitute
from symbolic_llm.unevaluated import Eq

CROSSING = Eq(compute_time.rhs.xreplace({B: B_star}), memory_time.rhs)

FORMULA = Formula(
    __name__,
    claim=Eq(B_star, n_bytes * F / (multiply_add * one_token * W)),
    kind=Kind.LAW,
    uses=(compute_time, memory_time, weight_bytes_read, weights_read),
    steps=(
        premise(CROSSING, "at the crossover, arithmetic takes as long as reading"),
        substitute(weight_bytes_read, CROSSING.xreplace({D_weights: P_read * n_bytes}), "in one format"),
        substitute(weights_read, CROSSING.xreplace(DENSE_READ), "what is read is what every token is multiplied with"),
        solve_for(B_star, CLAIM, "for the batch; the parameters cancel"),
    ),
    measured_by="clock.batch_crossover",
    sources=("timbers-2023", "kipply-2022"),
    example={"hardware": "a100-80gb-pcie", "dtype": "fp16"},
)
