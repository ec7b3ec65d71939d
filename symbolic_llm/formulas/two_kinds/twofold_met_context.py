"""Context that attention meets, where heads are of two kinds

The mean that operations go by. It is another one than that of bytes, twofold_kept_context: a block whose heads are wide
and share few keys does much and keeps little.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.two_kinds.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.two_kinds.twofold_attention_flops import FORMULA as twofold_attention_flops
from symbolic_llm.notation import N, N_met, a, a_local, n_window
from symbolic_llm.steps import premise, subtract
from symbolic_llm.written import Eq, Max

FORGOTTEN = Max(N, n_window) - n_window

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_met, N - a_local * FORGOTTEN / a),
    models=(Trait.TWOFOLD,),
    uses=(local_attention_flops, twofold_attention_flops),
    steps=(
        premise(N, "a block without a window meets all", measured_by="twofold.met_context(n_local=0)"),
        subtract(
            a_local * FORGOTTEN / a,
            N - a_local * FORGOTTEN / a,
            "the share of the operations that is done in blocks with a window meets nothing beyond it",
        ),
    ),
    measured_by="twofold.met_context",
    sources=("transformers-gemma4",),
    example={"model": "gemma-4-26b-a4b", "N": 8192},
)
