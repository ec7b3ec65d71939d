"""Bytes that compressors hold of a sequence

An entry is made when its run is full. Until then numbers and weights of its tokens wait: of one run where runs are
long, of two where they overlap, each then with two series. Room for them is held however long the sequence is.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number, two_series
from symbolic_llm.notation import d_head, d_index, m_waiting, n_bytes_kv, n_csa, n_hca, r_csa, r_hca
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

number_and_weight = count(2, "for each number of an entry: what a token gives, and how much it counts")
two_runs = count(2, "runs that an entry is made from")
ONE = key_number * number_and_weight * n_bytes_kv
LONG = n_hca * r_hca * d_head * ONE
SHORT = n_csa * two_runs * r_csa * two_series * (d_head + d_index) * ONE

FORMULA = Formula(
    __name__,
    claim=Eq(m_waiting, LONG + SHORT),
    models=(Trait.SHARED, Trait.COMPRESSED),
    steps=(
        premise(LONG, "of a long run", measured_by="runs.waiting_bytes(n_csa=0)"),
        add(SHORT, CLAIM, "of two short ones, for attention and for its index"),
    ),
    measured_by="runs.waiting_bytes",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16"},
)
