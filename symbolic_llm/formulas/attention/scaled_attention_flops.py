"""Operations of textbook attention with scaling

The factor 1/√d that the articles leave out, one multiplication per score.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import two_products
from symbolic_llm.notation import C_scaled, N, d
from symbolic_llm.numeral import count
from symbolic_llm.steps import add, cite
from symbolic_llm.units import FLOP
from symbolic_llm.written import Eq

scaling = count(1, "multiplication by 1/√d", FLOP)
per_score = count(4, "scaling, exponential, addition, division", FLOP)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_scaled, two_products * N**2 * d + per_score * N**2),
    plain=(N,),
    uses=(textbook_attention_flops,),
    steps=(
        cite(textbook_attention_flops, "without scaling"),
        add(
            scaling * N**2,
            two_products * N**2 * d + per_score * N**2,
            "each score is scaled",
            measured_by="scaled.flops[scaling]",
        ),
    ),
    measured_by="scaled.flops",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096},
)
