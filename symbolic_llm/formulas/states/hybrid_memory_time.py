"""Memory time where some blocks have a state

The weights are read once for all sequences, the caches of each for it alone; its states are read, and written back.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.weights_read import FORMULA as weights_read
from symbolic_llm.formulas.shared import there_and_back
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, N, P_read, T_memory_cache, W, m_state, m_token, n_bytes
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

WEIGHTS = P_read * n_bytes
CACHE = B * N * m_token
STATES = B * there_and_back * m_state

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_memory_cache, (WEIGHTS + CACHE + STATES) / W),
    models=(Trait.HYBRID,),
    kind=Kind.LAW,
    uses=(weights_read, hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        premise(
            WEIGHTS / W,
            "the weights that the step multiplies with, at full bandwidth",
            measured_by="hybrid/clock.memory_time_with_cache[!*.cache, !*.kept]",
        ),
        add(
            CACHE / W,
            (WEIGHTS + CACHE) / W,
            "the caches of the blocks that attend",
            measured_by="hybrid/clock.memory_time_with_cache[*.cache]",
        ),
        add(
            STATES / W,
            (WEIGHTS + CACHE + STATES) / W,
            "the states, both ways",
            measured_by="hybrid/clock.memory_time_with_cache[*.kept]",
        ),
    ),
    measured_by="hybrid/clock.memory_time_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 4096, "B": 16},
)
