"""Bytes of a sequence that a decoding step moves, where some blocks have a state

Keys and values are read. States are read and written back, so each of them crosses the bus twice.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import there_and_back
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import D_seq, N, m_state, m_token
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

STATES = there_and_back * m_state

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(D_seq, N * m_token + STATES),
    models=(Trait.HYBRID,),
    uses=(hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        premise(
            N * m_token,
            "the caches of the blocks that attend",
            measured_by="hybrid/decode.bytes_of_a_sequence[*.cache]",
        ),
        add(
            STATES,
            N * m_token + STATES,
            "the states, both ways",
            measured_by="hybrid/decode.bytes_of_a_sequence[*.kept]",
        ),
    ),
    measured_by="decode.bytes_of_a_sequence",
    sources=("qwen-next-2025",),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16", "N": 4096},
)
