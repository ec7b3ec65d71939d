"""Weights beside the matrices of compressed attention

In every block two norms, of the compressed query and of the shared vector, and a score for each head that stands for
nothing. Every compressor has a norm of its entries, and for each place in a run as many numbers as a token gives
weights: where runs overlap, twice as many.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, two_series
from symbolic_llm.notation import P_beside, d_head, d_index, d_query, n_blocks, n_csa, n_hca, n_heads, r_csa, r_hca
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import SEQUENCE, TOKEN

each_place = count(1, "each place of a run has its own", SEQUENCE / TOKEN)
EVERY = n_blocks * each_weight * (d_query + d_head + n_heads)
LONG = n_hca * each_weight * (each_place * r_hca + 1) * d_head
SHORT = n_csa * each_weight * (two_series * each_place * r_csa + 1) * (d_head + d_index)

FORMULA = Formula(
    __name__,
    claim=Eq(P_beside, EVERY + LONG + SHORT),
    steps=(
        premise(
            EVERY,
            "two norms and the scores that stand for nothing, in every block",
            measured_by="weights.beside_compression[*.query_down_norm.*, *.key_value_norm.*, *.sinks]",
        ),
        add(
            LONG,
            EVERY + LONG,
            "places and norm of long runs",
            measured_by="weights.beside_compression[*.long_*]",
        ),
        add(SHORT, CLAIM, "of short runs, in attention and in its index"),
    ),
    measured_by="weights.beside_compression",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
