"""Bytes of caches and states

For a batch of sequences: a cache that grows in the blocks that attend, a state that does not in the others.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, M_cache, N, m_state, m_token
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_cache, B * (N * m_token + m_state)),
    models=(Trait.HYBRID,),
    uses=(hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        premise(m_token, "one token", measured_by="state.bytes_of_a_token"),
        multiply(N, N * m_token, "a sequence keeps them all", measured_by="state.bytes[cache.*](batch=1)"),
        add(m_state, N * m_token + m_state, "and its states", measured_by="state.bytes_of_a_sequence"),
        multiply(B, B * (N * m_token + m_state), "every sequence of the batch has its own"),
    ),
    measured_by="state.bytes",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16", "N": 4096, "B": 1},
)
