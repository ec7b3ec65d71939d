"""Time per output token where some blocks have a state

The mean of the decoding steps: as long as one with a context of middle length, and states that do not grow.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import half, one_token, there_and_back
from symbolic_llm.formulas.states.hybrid_decode_time import FORMULA as hybrid_decode_time
from symbolic_llm.notation import B, D_weights, N, T_output, W, m_state, m_token, n_new
from symbolic_llm.steps import cite, divide, rewrite
from symbolic_llm.written import Eq

MOVED = D_weights + B * (m_token * (N + (n_new + one_token) / half) + there_and_back * m_state)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_output, MOVED / W),
    kind=Kind.LAW,
    uses=(hybrid_decode_time,),
    steps=(
        cite(hybrid_decode_time, "all decoding steps"),
        divide(n_new / one_token, hybrid_decode_time.rhs * one_token / n_new, "by their number"),
        rewrite(MOVED / W, "weights, a cache of middle length, and the states both ways"),
    ),
    measured_by="hybrid/clock.time_per_output_token",
    example=hybrid_decode_time.example,
)
