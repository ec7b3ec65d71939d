"""Bytes all states of a sequence take"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.state_bytes_per_block import FORMULA as state_bytes_per_block
from symbolic_llm.notation import m_state, n_state
from symbolic_llm.steps import cite, multiply
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.HYBRID,),
    claim=Eq(m_state, n_state * state_bytes_per_block.rhs),
    uses=(state_bytes_per_block,),
    steps=(
        cite(state_bytes_per_block, "one block"),
        multiply(n_state, n_state * state_bytes_per_block.rhs, "every block with a state has its own"),
    ),
    measured_by="state.bytes_of_a_sequence",
    sources=("yang-2024", "dao-2024"),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16"},
)
