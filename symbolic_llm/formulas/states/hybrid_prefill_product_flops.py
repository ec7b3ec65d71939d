"""Matrix products of a prefill where some blocks have a state

Each token of the prompt meets every other in the blocks that attend, and the states in the others, one after the other.
Implementations that take the prompt in chunks do more: within a chunk they attend.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add
from symbolic_llm.formulas.states.hybrid_attention_flops_per_context_token import (
    FORMULA as hybrid_attention_flops_per_context_token,
)
from symbolic_llm.formulas.states.hybrid_multiplied_parameters import FORMULA as hybrid_multiplied_parameters
from symbolic_llm.formulas.states.state_product_flops import FORMULA as state_product_flops
from symbolic_llm.notation import B, C_prefill, C_state, N, P, a
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

MATRICES = multiply_add * P
PER_TOKEN = MATRICES + C_state + a * N

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * N * PER_TOKEN),
    models=(Trait.HYBRID,),
    uses=(hybrid_multiplied_parameters, state_product_flops, hybrid_attention_flops_per_context_token),
    steps=(
        premise(
            MATRICES,
            "each weight multiplies and adds",
            measured_by="hybrid/prefill.product_flops"
            "[!*.scores, !*.mix, !*.recall, !*.write, !*.read](batch=1, context=1)",
        ),
        add(
            C_state,
            MATRICES + C_state,
            "in blocks with one, a token meets the state that those before it left",
            measured_by="hybrid/prefill.product_flops[*.recall, *.write, *.read](batch=1, context=1)",
        ),
        multiply(
            B * N,
            B * N * (MATRICES + C_state),
            "for each of N tokens of each sequence",
            measured_by="hybrid/prefill.product_flops[!*.scores, !*.mix]",
        ),
        add(B * N * a * N, B * N * PER_TOKEN, "attention of each of them meets every token of the prompt"),
    ),
    measured_by="hybrid/prefill.product_flops",
    sources=("yang-2024",),
    example={"model": "qwen3.5-27b", "N": 512, "B": 1},
)
