"""Cache bytes of one token where all heads share a vector

It is key and value at once, so it is kept once, and for all heads of a block together.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_head, m_vector, n_blocks, n_bytes_kv
from symbolic_llm.steps import multiply, premise
from symbolic_llm.written import Eq

ONE = key_number * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_vector, n_blocks * ONE),
    models=(Trait.SHARED, Trait.COMPRESSED),
    steps=(
        premise(ONE, "the vector of one block", measured_by="runs.bytes_of_a_vector(n_sliding=1, n_csa=0, n_hca=0)"),
        multiply(n_blocks, n_blocks * ONE, "every block has its own"),
    ),
    measured_by="runs.bytes_of_a_vector",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16"},
)
