"""Critical context with windows

Beyond it, what all blocks together keep of a sequence takes longer to read than its arithmetic takes. Blocks with a
window stop adding to that once it is full, so the others have to reach further.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import cache_outruns_attention, multiply_add, one_token
from symbolic_llm.notation import F, N_critical, P, W, a, m_token, n_global, n_local, n_window
from symbolic_llm.steps import larger_of, premise
from symbolic_llm.written import Eq, Max

KEPT = multiply_add * P * W * one_token / (F * m_token - a * W * one_token)
FARTHER = KEPT + n_local * (KEPT - n_window) / n_global

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, Max(KEPT, FARTHER)),
    kind=Kind.LAW,
    where=(cache_outruns_attention,),
    models=(Trait.MIXED,),
    uses=(kv_bytes_per_token, attention_flops_per_context_token, total_parameters),
    steps=(
        premise(
            KEPT,
            "the context at the edge of the crossover's condition, while windows fill and every block keeps all of it",
            measured_by="clock.critical_context(window=1000)",
        ),
        larger_of(
            FARTHER,
            Max(KEPT, FARTHER),
            "what lies beyond the window is left to the blocks without one, which have to reach so much farther",
        ),
    ),
    measured_by="clock.critical_context",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
