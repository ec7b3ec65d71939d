"""Weights of the attention matrices

In the block of the articles every head has keys and values of its own, and the heads side by side are as wide as the
model: each of the four matrices is a square.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.shared import each_weight, heads_fill_model, heads_keep_their_own
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, cite, substitute
from symbolic_llm.unevaluated import Eq

four_matrices = count(4, "matrices: query, key, value and output")

FORMULA = Formula(
    __name__,
    claim=Eq(P_attention, four_matrices * each_weight * d_model**2),
    where=(heads_keep_their_own, heads_fill_model),
    uses=(grouped_attention_parameters,),
    steps=(
        cite(grouped_attention_parameters, "queries and output of every head, keys and values of every group"),
        substitute(
            heads_keep_their_own,
            four_matrices * each_weight * d_model * n_heads * d_head,
            "no head shares its keys and values, so all four matrices have one shape",
        ),
        substitute(heads_fill_model, CLAIM, "side by side the heads are as wide as the model"),
    ),
    measured_by="schematic/weights.of_attention",
    sources=("timbers-2023", "kipply-2022"),
    example={"model": "llama-7b"},
)
