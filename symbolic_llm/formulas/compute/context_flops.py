"""Attention operations of a new token

Where it attends to the whole context: scores and weighted sums, without the softmax.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.notation import C_seq, N, a
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_seq, a * N),
    models=(Trait.FULL,),
    uses=(attention_flops_per_context_token,),
    steps=(
        premise(a, "for one token of the context", measured_by="attention.flops_per_context_token"),
        multiply(N, CLAIM, "it meets all of them"),
    ),
    measured_by="decode.flops_of_a_sequence",
    example={"model": "llama-2-7b", "N": 4096},
)
