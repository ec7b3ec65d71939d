"""Matrix products of a prefill that skips the future and what lies before a window

A token of a block with a window attends to the tokens of that window only. Beyond the window, the i-th token does
without i − n_window of them, so a long prompt saves most of its attention in these blocks.
"""

from symbolic_llm.architecture import WITH_WINDOWS, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.local_attention_flops import FORMULA as local_attention_flops
from symbolic_llm.formulas.compute.prompt_attention_flops import FORMULA as prompt_attention_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import BEYOND_WINDOW, multiply_add, one_token
from symbolic_llm.notation import B, C_prefill, N, P, a_local, a_prompt
from symbolic_llm.steps import add, premise, subtract
from symbolic_llm.written import Eq

PAIRS = N * (N + one_token) / 2
SAVED = a_local * BEYOND_WINDOW * (BEYOND_WINDOW + one_token) / 2
PER_SEQUENCE = N * multiply_add * P + a_prompt * PAIRS - SAVED

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * PER_SEQUENCE),
    models=(Trait.GROUPED, Trait.UNEQUAL, *WITH_WINDOWS),
    uses=(total_parameters, prompt_attention_flops, local_attention_flops),
    steps=(
        premise(
            B * N * multiply_add * P,
            "each weight multiplies and adds, for every token of every sequence",
            measured_by="prefill.causal_product_flops[!*.scores, !*.mix]",
        ),
        add(
            B * a_prompt * PAIRS,
            B * (N * multiply_add * P + a_prompt * PAIRS),
            "the i-th token attends to i tokens, while windows fill",
            measured_by="prefill.causal_product_flops[*.scores, *.mix](window=1000)",
        ),
        subtract(
            B * SAVED,
            B * PER_SEQUENCE,
            "in blocks with a window those beyond it do without 1, 2, … of them",
        ),
    ),
    measured_by="prefill.causal_product_flops",
    sources=("gemma-2024",),
    example={"model": "gemma-3-1b-text", "N": 32768, "B": 1},
)
