"""Operations of the indexes for each token of context

Each query of a new token meets the key of every token, and what is above zero is summed over the queries, each weighed.
That is done for the whole context, whatever is picked of it.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import score
from symbolic_llm.notation import a_index, d_index, n_index, n_index_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

one_match = count(1, "number of a query's match, which is weighed and added")
ONE_QUERY = score * (d_index + one_match)

FORMULA = Formula(
    __name__,
    claim=Eq(a_index, n_index * n_index_heads * ONE_QUERY),
    models=(Trait.LATENT, Trait.PICKED),
    steps=(
        premise(
            score * d_index,
            "the match of one query and one key",
            measured_by="index.flops_per_context_token[*.scores](n_index=1, n_index_heads=1)",
        ),
        add(
            score * one_match,
            ONE_QUERY,
            "which is weighed and added to those of the other queries",
            measured_by="index.flops_per_context_token[*.sum](n_index=1, n_index_heads=1)",
        ),
        multiply(
            n_index_heads,
            n_index_heads * ONE_QUERY,
            "for every query",
            measured_by="index.flops_per_context_token(n_index=1)",
        ),
        multiply(n_index, CLAIM, "in every index"),
    ),
    measured_by="index.flops_per_context_token",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2"},
)
