"""Matrix products of a prefill that skips the future and what lies before a window, where heads are of two kinds"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.two_kinds.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.two_kinds.twofold_attention_flops import FORMULA as twofold_attention_flops
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import FORMULA as twofold_multiplied_parameters
from symbolic_llm.notation import B, C_prefill, N, P, a, a_local, n_window
from symbolic_llm.steps import add, premise, subtract
from symbolic_llm.written import Eq, Max

FORGOTTEN = Max(N, n_window) - n_window
PAIRS = N * (N + one_token) / 2
SAVED = a_local * FORGOTTEN * (FORGOTTEN + one_token) / 2
PER_SEQUENCE = N * multiply_add * P + a * PAIRS - SAVED

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * PER_SEQUENCE),
    models=(Trait.TWOFOLD,),
    uses=(twofold_multiplied_parameters, twofold_attention_flops, local_attention_flops),
    steps=(
        premise(
            B * N * multiply_add * P,
            "each weight multiplies and adds, for every token of every sequence",
            measured_by="twofold/prefill.causal_product_flops[!*.scores, !*.mix]",
        ),
        add(
            B * a * PAIRS,
            B * (N * multiply_add * P + a * PAIRS),
            "the i-th token attends to i tokens, while windows fill",
            measured_by="twofold/prefill.causal_product_flops[*.scores, *.mix](window=1000)",
        ),
        subtract(
            B * SAVED,
            B * PER_SEQUENCE,
            "in blocks with a window those beyond it do without 1, 2, … of them",
        ),
    ),
    measured_by="prefill.causal_product_flops",
    example={"model": "gemma-4-26b-a4b", "N": 32768, "B": 1},
)
