"""Operations of a new token with caches and states"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_attention_flops_per_context_token import (
    FORMULA as hybrid_attention_flops_per_context_token,
)
from symbolic_llm.formulas.states.state_product_flops import FORMULA as state_product_flops
from symbolic_llm.notation import C_seq, C_state, N, a
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_seq, a * N + C_state),
    models=(Trait.HYBRID,),
    uses=(hybrid_attention_flops_per_context_token, state_product_flops),
    steps=(
        premise(
            a * N,
            "the blocks that attend meet every token of the context",
            measured_by="hybrid/decode.flops_of_a_sequence[*.scores, *.mix]",
        ),
        add(C_state, a * N + C_state, "the others meet their states", measured_by="state.product_flops"),
    ),
    measured_by="decode.flops_of_a_sequence",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "N": 4096},
)
