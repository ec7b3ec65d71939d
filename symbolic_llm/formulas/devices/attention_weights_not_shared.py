"""Weights read more with data-parallel attention

A device that attends for sequences of its own reads the matrices of all heads, and not those of its share. Copies of
keys' and values' matrices, where devices outnumber their heads, it would have read anyway.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.heads.grouped_attention_parameters import ONE_HEAD, QUERIES, values_too
from symbolic_llm.notation import P_more, n_blocks, n_kv_heads, n_tensor
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Max

OF_QUERIES = n_blocks * QUERIES * (n_tensor - 1) / n_tensor
KEPT = Max(n_kv_heads, n_tensor)  # heads on all devices together, copies included
OF_KEYS = n_blocks * values_too * ONE_HEAD * (n_kv_heads * n_tensor - KEPT) / n_tensor

FORMULA = Formula(
    __name__,
    claim=Eq(P_more, OF_QUERIES + OF_KEYS),
    models=(Trait.GROUPED,),
    uses=(grouped_attention_parameters,),
    steps=(
        premise(
            OF_QUERIES,
            "of queries and output all but its own part, in every block",
            measured_by="dealt.weights_more[*.query, *.output]",
        ),
        add(
            OF_KEYS,
            CLAIM,
            "of keys and values all but the heads that it would have kept",
            measured_by="dealt.weights_more[*.key, *.value]",
        ),
    ),
    measured_by="dealt.weights_more",
    example={"model": "llama-2-70b", "n_tensor": 16},
)
