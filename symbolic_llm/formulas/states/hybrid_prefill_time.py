"""Prefill time where some blocks have a state

The states of a sequence are read once before its prompt and written back once after it, however long it is: within the
pass they stay on the chip.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.formulas.shared import there_and_back
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.hybrid_prefill_product_flops import FORMULA as hybrid_prefill_product_flops
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, C_prefill, F, N, P_prompt, T_prefill, W, m_state, m_token, n_bytes
from symbolic_llm.steps import add, larger_of, premise
from symbolic_llm.written import Eq, Max

ARITHMETIC = C_prefill / F
WEIGHTS = P_prompt * n_bytes
CACHE = B * N * m_token
STATES = B * there_and_back * m_state
LONGER = Max(ARITHMETIC, (WEIGHTS + CACHE + STATES) / W)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(T_prefill, LONGER),
    models=(Trait.HYBRID,),
    kind=Kind.LAW,
    uses=(hybrid_prefill_product_flops, prefill_weights_read, hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        premise(
            WEIGHTS / W,
            "the weights are read once, at full bandwidth",
            measured_by="hybrid/clock.prefill_memory_time[!*.cache, !*.kept]",
        ),
        add(
            CACHE / W,
            (WEIGHTS + CACHE) / W,
            "the key and value of every token",
            measured_by="hybrid/clock.prefill_memory_time[*.cache]",
        ),
        add(
            STATES / W,
            (WEIGHTS + CACHE + STATES) / W,
            "and the states, both ways",
            measured_by="hybrid/clock.prefill_memory_time[*.kept]",
        ),
        larger_of(ARITHMETIC, LONGER, "meanwhile the arithmetic is done"),
    ),
    measured_by="hybrid/clock.prefill_time_with_cache",
    example={"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16", "N": 8192, "B": 1},
)
