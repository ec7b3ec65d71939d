"""Bytes moved by attention where sequences share a prefix

In a decoding step each sequence has one query. The keys and values of the prefix are read once for all of them, those
after it for each sequence. Sharing saves the bytes of the prefix as many times as there are sequences beside the first.
"""

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_value
from symbolic_llm.notation import B, D_prefix, N, d, n_bytes_act, n_prefix
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq, Le

VECTOR = d * each_value * n_bytes_act
READ, OWN = 2 * n_prefix * VECTOR, 2 * B * (N - n_prefix) * VECTOR

FORMULA = Formula(
    __name__,
    claim=Eq(D_prefix, 2 * B * VECTOR + READ + OWN),
    where=(Condition(Le(n_prefix, N), "the prefix is within the context"),),
    plain=(B, N, n_prefix),
    steps=(
        premise(2 * B * VECTOR, "queries and outputs", measured_by="shared.bytes[queries, outputs]"),
        add(READ, 2 * B * VECTOR + READ, "the prefix, once", measured_by="shared.bytes[prefix]"),
        add(OWN, CLAIM, "what is each sequence's own", measured_by="shared.bytes[own]"),
    ),
    measured_by="shared.bytes",
    example={"model": "llama-2-7b", "B": 16, "N": 4096, "n_prefix": 2048, "dtype": "fp16"},
)
