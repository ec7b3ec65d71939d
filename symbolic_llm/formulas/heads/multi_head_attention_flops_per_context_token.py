"""Attention operations for each token of context where heads share the model's width

The special case of the articles. Whether heads share keys does not matter, only that together they are as wide as the
model.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.shared import heads_fill_model, score_and_sum
from symbolic_llm.notation import a, d_model, n_blocks
from symbolic_llm.steps import CLAIM, cite, substitute
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(a, score_and_sum * n_blocks * d_model),
    where=(heads_fill_model,),
    uses=(attention_flops_per_context_token,),
    steps=(
        cite(attention_flops_per_context_token, "with heads of any width"),
        substitute(heads_fill_model, CLAIM, "side by side they are as wide as the model"),
    ),
    measured_by="attention.flops_per_context_token",
    example={"model": "llama-2-7b"},
)
