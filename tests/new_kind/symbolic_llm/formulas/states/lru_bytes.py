"""Bytes all gated linear recurrences keep of a sequence

One number of each channel, however long the sequence is.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import sequence_number
from symbolic_llm.notation import n_bytes_state
from symbolic_llm.notation.lru import d_lru, m_lru, n_lru
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE = sequence_number * d_lru * n_bytes_state

FORMULA = Formula(
    __name__,
    models=(Trait.HYBRID,),
    claim=Eq(m_lru, n_lru * ONE),
    steps=(
        premise(ONE, "a number of each channel", measured_by="state.bytes_of_lru(n_lru=1)"),
        multiply(n_lru, CLAIM, "every such block has its own"),
    ),
    measured_by="state.bytes_of_lru",
    example={"n_lru": 18, "d_lru": 2560, "n_bytes_state": 4},
)
