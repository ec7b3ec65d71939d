"""Operations of attention with the stable softmax

Real programs subtract the largest score of a row before they take exponentials, so that none overflows. Finding and
subtracting it makes two more operations for each score.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.stable_softmax_flops import FORMULA as stable_softmax_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.notation import C_stable, N, d
from symbolic_llm.steps import CLAIM, add, cite, subtract
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_stable, two_products * N**2 * d + stable_softmax_flops.rhs),
    plain=(N,),
    uses=(textbook_attention_flops, stable_softmax_flops),
    steps=(
        cite(textbook_attention_flops, "with the plain softmax"),
        subtract(softmax * N**2, two_products * N**2 * d, "without it", measured_by="textbook.flops[line_2]"),
        add(stable_softmax_flops, CLAIM, "with the stable one"),
    ),
    measured_by="stable.flops",
    example={"model": "llama-2-7b", "N": 4096},
)
