"""Operations of textbook attention for one query

A token that is generated takes one row of textbook attention: the scores of one query against all N keys, their
softmax, and one weighted sum of the values.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import softmax, two_products
from symbolic_llm.formulas.shared import two_flop
from symbolic_llm.notation import C_query, N, d
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(C_query, two_products * N * d + softmax * N),
    plain=(N,),
    uses=(textbook_attention_flops,),  # for what its products and its softmax take
    steps=(
        premise(two_flop * N * d, "line 1: N scores, each a sum of d products", measured_by="query.flops[line_1]"),
        add(
            softmax * N,
            two_flop * N * d + softmax * N,
            "line 2: the softmax of one row",
            measured_by="query.flops[line_2]",
        ),
        add(two_flop * N * d, CLAIM, "line 3: d outputs, each a sum of N products", measured_by="query.flops[line_3]"),
    ),
    measured_by="query.flops",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "N": 4096},
)
