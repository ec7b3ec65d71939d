"""Cache bytes of one token, where heads are of two kinds

While it is in every window: of a context that is longer, windowed_context_bytes says what is kept.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.formulas.two_kinds.global_kv_bytes_per_token import FORMULA as global_kv_bytes_per_token
from symbolic_llm.notation import m_global, m_local, m_token
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(m_token, m_local + m_global),
    models=(Trait.TWOFOLD,),
    uses=(global_kv_bytes_per_token, local_kv_bytes_per_token),
    steps=(
        premise(m_local, "the blocks with a window", measured_by="windows.bytes_of_a_token"),
        add(
            m_global,
            m_local + m_global,
            "the blocks without",
            measured_by="twofold.bytes_of_a_token_without_windows",
        ),
    ),
    measured_by="cache.bytes_of_a_token",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b", "cache": "fp16"},
)
