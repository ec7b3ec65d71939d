"""Compute time with attention

The products of attention are counted, norms and softmax are not.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.context_flops import FORMULA as context_flops
from symbolic_llm.formulas.compute.flops_per_token import FORMULA as flops_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_seq, F, T_compute_cache
from symbolic_llm.steps import CLAIM, add, cite, divide, multiply
from symbolic_llm.unevaluated import Eq

PER_TOKEN = flops_per_token.rhs + C_seq

FORMULA = Formula(
    __name__,
    claim=Eq(T_compute_cache, B * one_token * PER_TOKEN / F),
    kind=Kind.LAW,
    uses=(flops_per_token, context_flops, total_parameters),
    steps=(
        cite(flops_per_token, "the matrices"),
        add(
            C_seq,
            PER_TOKEN,
            "and attention over the context, or products with states",
            measured_by="decode.flops_of_a_sequence",
        ),
        multiply(
            B * one_token,
            B * one_token * PER_TOKEN,
            "one token for each sequence",
            measured_by="decode.product_flops",
        ),
        divide(F, CLAIM, "at peak arithmetic"),
    ),
    measured_by="clock.compute_time_with_attention",
    example={"model": "llama-2-7b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
