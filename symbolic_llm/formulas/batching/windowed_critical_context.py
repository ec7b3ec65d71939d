"""Critical context with windows

Beyond it, what all blocks together keep of a sequence takes longer to read than its arithmetic takes. Blocks with a
window stop adding to that once it is full, so the others have to reach further. Where heads are of two kinds, theirs
is another balance of bytes and operations.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.attention_flops_per_context_token import FORMULA as attention_flops_per_context_token
from symbolic_llm.formulas.compute.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.kv_cache.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.notation import F, N_critical, P, W, a, a_local, m_local, m_token, n_window
from symbolic_llm.steps import larger_of, premise
from symbolic_llm.written import Eq, Gt, Max

WINDOWS = F * m_local - a_local * one_token * W
OTHERS = F * (m_token - m_local) - (a - a_local) * one_token * W
KEPT = multiply_add * P * W * one_token / (WINDOWS + OTHERS)
FARTHER = KEPT + WINDOWS * (KEPT - n_window) / OTHERS

windows_outrun_attention, others_outrun_attention = (
    Condition(
        Gt(F * read, work * one_token * W),
        f"reading a cached token takes longer than computing with it in blocks {where} a window",
        "no law says it: some blocks take longer to compute with a cached token than to read it",
    )
    for read, work, where in ((m_local, a_local, "with"), (m_token - m_local, a - a_local, "without"))
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, Max(KEPT, FARTHER)),
    kind=Kind.LAW,
    where=(windows_outrun_attention, others_outrun_attention),
    models=(Trait.GROUPED, Trait.UNEQUAL, Trait.MIXED, Trait.TWOFOLD),
    uses=(
        kv_bytes_per_token,
        local_kv_bytes_per_token,
        attention_flops_per_context_token,
        local_attention_flops,
        total_parameters,
    ),
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
