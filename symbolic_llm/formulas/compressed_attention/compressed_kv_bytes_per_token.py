"""Cache bytes of one token where runs are compressed

In the long run: once the window is full, nothing grows but the entries. A block with short runs keeps an entry of
each, and one more for its index; a block with long runs keeps one entry of each.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import sequence_number
from symbolic_llm.notation import d_head, d_index, m_token, n_bytes_kv, n_csa, n_hca, r_csa, r_hca
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

BOTH = sequence_number * (d_head + d_index) * n_bytes_kv
SHORT = n_csa * BOTH / r_csa
LONG = n_hca * sequence_number * d_head * n_bytes_kv / r_hca

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_token, SHORT + LONG),
    models=(Trait.SHARED, Trait.COMPRESSED),
    steps=(
        premise(
            SHORT,
            "an entry of a short run, and that of the index, for the tokens of the run",
            measured_by="runs.bytes_of_a_token(n_hca=0)",
        ),
        add(
            LONG,
            SHORT + LONG,
            "and an entry of a long run, for many more",
            measured_by="runs.bytes_of_a_token(n_csa=0)",
        ),
    ),
    measured_by="runs.bytes_of_a_token",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16"},
)
