"""Matrix products of one decoding step, where some blocks have a state"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.states.hybrid_attention_flops_per_context_token import (
    FORMULA as hybrid_attention_flops_per_context_token,
)
from symbolic_llm.formulas.states.hybrid_multiplied_parameters import FORMULA as hybrid_multiplied_parameters
from symbolic_llm.formulas.states.state_product_flops import FORMULA as state_product_flops
from symbolic_llm.notation import B, C_decode, C_state, N, P, a
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

MATRICES = multiply_add * P
PER_TOKEN = MATRICES + a * N + C_state

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    models=(Trait.HYBRID,),
    uses=(hybrid_multiplied_parameters, hybrid_attention_flops_per_context_token, state_product_flops),
    steps=(
        premise(
            MATRICES,
            "each weight multiplies and adds",
            measured_by="state.decode_product_flops[!*.scores, !*.mix, !*.recall, !*.write, !*.read](batch=1)",
        ),
        add(
            a * N,
            MATRICES + a * N,
            "the blocks that attend meet every token of the context",
            measured_by="state.decode_product_flops[*.scores, *.mix](batch=1)",
        ),
        add(
            C_state,
            PER_TOKEN,
            "the others meet their states",
            measured_by="state.decode_product_flops[*.recall, *.write, *.read](batch=1)",
        ),
        multiply(B * one_token, B * one_token * PER_TOKEN, "one new token for each sequence of the batch"),
    ),
    measured_by="state.decode_product_flops",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "N": 4096, "B": 1},
)
