"""Cache bytes of one vector of a token for all heads

It is key and value at once.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_number
from symbolic_llm.notation import d_head, n_blocks, n_bytes_kv
from symbolic_llm.notation.factored import m_factored
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE = key_number * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    models=(Trait.SHARED, Trait.FULL),
    claim=Eq(m_factored, n_blocks * ONE),
    steps=(
        premise(ONE, "the vector of one block", measured_by="cache.bytes_of_one_vector(n_blocks=1)"),
        multiply(n_blocks, CLAIM, "every block has its own"),
    ),
    measured_by="cache.bytes_of_one_vector",
    example={"n_blocks": 24, "d_head": 128, "n_bytes_kv": 2},
)
