"""Context that a hybrid keeps

In tokens of its caches: the states take as much room as so many tokens more, and that number stays as it is.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.states.hybrid_cache_bytes import FORMULA as hybrid_cache_bytes
from symbolic_llm.formulas.states.hybrid_kv_bytes_per_token import FORMULA as hybrid_kv_bytes_per_token
from symbolic_llm.formulas.states.state_bytes import FORMULA as state_bytes
from symbolic_llm.notation import B, N, N_kept, m_state, m_token
from symbolic_llm.steps import cite, divide
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_kept, N + m_state / m_token),
    models=(Trait.HYBRID,),
    uses=(hybrid_cache_bytes, hybrid_kv_bytes_per_token, state_bytes),
    steps=(
        cite(hybrid_cache_bytes, "what the caches and states of a batch take"),
        divide(
            B * m_token,
            N + m_state / m_token,
            "what the caches take for one token of each sequence",
            measured_by="state.bytes[cache.*](context=1)",
        ),
    ),
    measured_by="state.kept_context",
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16", "N": 4096},
)
