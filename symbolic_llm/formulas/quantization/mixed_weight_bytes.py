"""Bytes of the weights where some parts are stored at another precision

Such as embedding and output matrix, which model files often keep in more bits than the rest.
"""

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.notation import M_weights, P_high, P_total, n_bytes, n_bytes_2
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le

MOST, OTHERS = (P_total - P_high) * n_bytes, P_high * n_bytes_2

FORMULA = Formula(
    __name__,
    claim=Eq(M_weights, MOST + OTHERS),
    where=(Condition(Le(P_high, P_total), "those parts are among the weights there are"),),
    steps=(
        premise(
            MOST,
            "most weights are stored in one format",
            measured_by="weights.bytes_with_other_ends[!weights.embedding, !weights.output]",
        ),
        add(
            OTHERS,
            CLAIM,
            "the others in theirs",
            measured_by="weights.bytes_with_other_ends[weights.embedding, weights.output]",
        ),
    ),
    measured_by="weights.bytes_with_other_ends",
    example={"model": "llama-3-8b", "weights": "q4_k", "n_bytes_2": "0.8203125"},
)
