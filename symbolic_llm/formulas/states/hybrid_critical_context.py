"""Critical context of a hybrid

The context at which one more sequence adds as much traffic as arithmetic. Fewer blocks have a cache, so it lies farther
off than where all have one; what is read and written of the states brings it nearer.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import cache_outruns_attention, multiply_add, one_token, there_and_back
from symbolic_llm.formulas.states.hybrid_attention_flops_per_context_token import (
    FORMULA as hybrid_attention_flops_per_context_token,
)
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.hybrid_multiplied_parameters import FORMULA as hybrid_multiplied_parameters
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.formulas.states.state_product_flops import FORMULA as state_product_flops
from symbolic_llm.notation import C_state, F, N_critical, P, W, a, m_state, m_token
from symbolic_llm.steps import divide, premise, subtract
from symbolic_llm.written import Eq, Gt

states_leave_time = Condition(
    Gt((multiply_add * P + C_state) * one_token * W, there_and_back * m_state * F),
    "a sequence's states cross the bus in less time than its arithmetic takes",
    "none: its states alone take longer to read and write than its arithmetic",
)
WORK = (multiply_add * P + C_state) * one_token / F
MOVED = there_and_back * m_state / W
CRITICAL = (WORK - MOVED) / (m_token / W - a * one_token / F)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, CRITICAL),
    kind=Kind.LAW,
    where=(cache_outruns_attention, states_leave_time),
    models=(Trait.HYBRID,),
    uses=(
        hybrid_multiplied_parameters,
        hybrid_kv_bytes_per_token,
        hybrid_attention_flops_per_context_token,
        state_bytes,
        state_product_flops,
    ),
    steps=(
        premise(
            WORK,
            "the time of one sequence's arithmetic, without attention",
            measured_by="state.compute_time(batch=1)",
        ),
        subtract(
            MOVED,
            WORK - MOVED,
            "the states of the sequence take some of it to cross the bus, both ways",
            measured_by="state.time_of_states(batch=1)",
        ),
        divide(
            m_token / W - a * one_token / F,
            CRITICAL,
            "each token of context takes so much longer to read than attention takes to meet it",
        ),
    ),
    measured_by="state.critical_context",
    example={"model": "qwen3.5-27b", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
