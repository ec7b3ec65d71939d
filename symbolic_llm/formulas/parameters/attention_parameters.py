"""Weights of the attention matrices

Queries, keys, values and output are projected by one matrix each. A head sees only its own slice, so the matrix of all
heads together is as wide as the heads side by side.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, heads_fill_model
from symbolic_llm.notation import P_attention, d_head, d_model, n_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise, substitute
from symbolic_llm.written import Eq

four_matrices = count(4, "matrices: query, key, value and output")

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_attention, four_matrices * each_weight * d_model**2),
    where=(heads_fill_model,),
    steps=(
        premise(
            each_weight * d_model * d_head,
            "the query matrix of one head takes a vector of the model to one of the head",
            measured_by="schematic/weights.of_attention[*.query](n_heads=1)",
        ),
        multiply(
            n_heads,
            each_weight * d_model * n_heads * d_head,
            "every head has its own",
            measured_by="schematic/weights.of_attention[*.query]",
        ),
        substitute(heads_fill_model, each_weight * d_model**2, "side by side the heads are as wide as the model"),
        multiply(
            four_matrices,
            four_matrices * each_weight * d_model**2,
            "keys and values have the same shape, and so has the output matrix, transposed",
        ),
    ),
    measured_by="schematic/weights.of_attention",
    sources=("timbers-2023", "kipply-2022"),
    example={"model": "llama-7b"},
)
