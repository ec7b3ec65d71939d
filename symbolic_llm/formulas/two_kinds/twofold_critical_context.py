"""Critical context where heads are of two kinds

Beyond it, what all blocks together keep of a sequence takes longer to read than its arithmetic takes. Once the windows
are full, only the other blocks add to that, and theirs is another balance of bytes and operations.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.two_kinds.global_attention_flops import FORMULA as global_attention_flops
from symbolic_llm.formulas.two_kinds.global_kv_bytes_per_token import FORMULA as global_kv_bytes_per_token
from symbolic_llm.formulas.two_kinds.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.two_kinds.local_kv_bytes_per_token import FORMULA as local_kv_bytes_per_token
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import FORMULA as twofold_multiplied_parameters
from symbolic_llm.notation import F, N_critical, P, W, a_global, a_local, m_global, m_local, n_window
from symbolic_llm.steps import larger_of, premise
from symbolic_llm.written import Eq, Gt, Max

WINDOWS = F * m_local - a_local * one_token * W
OTHERS = F * m_global - a_global * one_token * W
KEPT = multiply_add * P * W * one_token / (WINDOWS + OTHERS)
FARTHER = KEPT + WINDOWS * (KEPT - n_window) / OTHERS

windows_outrun_attention, others_outrun_attention = (
    Condition(
        Gt(F * read, work * one_token * W),
        f"reading a cached token takes longer than computing with it in blocks {where} a window",
        "no law says it: some blocks take longer to compute with a cached token than to read it",
    )
    for read, work, where in ((m_local, a_local, "with"), (m_global, a_global, "without"))
)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_critical, Max(KEPT, FARTHER)),
    kind=Kind.LAW,
    where=(windows_outrun_attention, others_outrun_attention),
    models=(Trait.TWOFOLD,),
    uses=(
        twofold_multiplied_parameters,
        global_attention_flops,
        global_kv_bytes_per_token,
        local_attention_flops,
        local_kv_bytes_per_token,
    ),
    steps=(
        premise(
            KEPT,
            "the context at the edge of the crossover's condition, while windows fill and every block keeps all of it",
            measured_by="twofold/clock.critical_context(window=1000)",
        ),
        larger_of(
            FARTHER,
            Max(KEPT, FARTHER),
            "what lies beyond the window is left to the blocks without one, which have to reach so much farther",
        ),
    ),
    measured_by="clock.critical_context",
    example={"model": "gemma-4-31b", "hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
