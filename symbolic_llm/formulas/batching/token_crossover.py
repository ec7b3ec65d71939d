"""Token crossover

The tokens in one pass at which arithmetic takes as long as reading the weights. It does not matter whether they
come from many sequences that get one token each or from one prompt: a prefill of more tokens than this is
compute-bound too.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.formulas.weights.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.notation import F, P, P_prompt, T_star, W, n_bytes
from symbolic_llm.steps import CLAIM, divide, premise, substitute
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_star, n_bytes * F / (multiply_add * W)),
    kind=Kind.LAW,
    uses=(flops_per_token, prefill_weights_read),
    steps=(
        premise(
            P_prompt * n_bytes / W,
            "the time of reading the weights once",
            measured_by="clock.prefill_memory_time_of_weights",
        ),
        substitute(prefill_weights_read, P * n_bytes / W, "every token is multiplied with all that is read"),
        divide(
            flops_per_token.rhs / F,
            CLAIM,
            "the arithmetic of so many tokens takes as long; the parameters cancel",
            measured_by="clock.prefill_compute_time(batch=1, logits=1, silent=0)",
        ),
    ),
    measured_by="clock.token_crossover",
    sources=("kipply-2022",),
    example={"hardware": "a100-80gb-pcie", "dtype": "fp16"},
)
