"""Bytes kept of a sequence, where some blocks have a state

A cache that grows in the blocks that attend, a state that does not in the others.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import M_seq, N, m_state, m_token
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_seq, N * m_token + m_state),
    models=(Trait.HYBRID,),
    uses=(hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        premise(m_token, "one token", measured_by="state.bytes_of_a_token"),
        multiply(N, N * m_token, "the caches keep them all", measured_by="cache.bytes_of_a_sequence[cache.*]"),
        add(m_state, N * m_token + m_state, "and the states", measured_by="state.bytes_of_a_sequence"),
    ),
    measured_by="cache.bytes_of_a_sequence",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16", "N": 4096},
)
