"""Longest context that fits, where some blocks have a state

The states of the batch are held whatever the context is; what they leave beside the weights is for the caches.
"""

from sympy import floor

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, M, N_fit, P_total, m_state, m_token, n_bytes
from symbolic_llm.steps import cite, divide, round_down, subtract
from symbolic_llm.written import Eq, Gt

states_fit = Condition(
    Gt(M, P_total * n_bytes + B * m_state),
    "weights and states leave room in memory",
    "weights and states alone do not fit",
)
LEFT = memory_left.rhs - B * m_state
TOKENS = LEFT / (B * m_token)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_fit, one_token * floor(TOKENS / one_token)),
    models=(Trait.HYBRID,),
    where=(states_fit,),
    uses=(memory_left, state_bytes, hybrid_kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        subtract(
            B * m_state,
            LEFT,
            "every sequence keeps its states",
            measured_by="hybrid/cache.bytes[states.*]",
        ),
        divide(
            B * m_token,
            TOKENS,
            "a token of context takes its bytes once for each sequence",
            measured_by="hybrid/cache.bytes[cache.*](context=1)",
        ),
        round_down(one_token, one_token * floor(TOKENS / one_token), "only whole tokens count"),
    ),
    measured_by="hybrid/memory.context_that_fits",
    example={"model": "qwen3.5-27b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1},
)
