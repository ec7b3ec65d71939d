"""Every sequence keeps a page of sixteen tokens, however long it is

False beyond sixteen tokens. Beside an engine that keeps pages of sixteen it agrees with every count of a short context.
"""

from sympy import Eq

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import key_and_value, key_number
from symbolic_llm.notation import B, M_cache, d_head, n_blocks, n_bytes_kv, n_kv_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import multiply, premise
from symbolic_llm.units import SEQUENCE, TOKEN

page = count(16, "tokens of a page", TOKEN / SEQUENCE)
EACH = key_and_value * key_number * n_blocks * n_kv_heads * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    claim=Eq(M_cache, page * B * EACH),
    models=(Trait.FULL, Trait.GROUPED),
    steps=(
        premise(page * EACH, "a page of one sequence"),
        multiply(B, page * B * EACH, "every sequence of the batch has one"),
    ),
    measured_by="cache.bytes",
    example={"model": "llama-2-7b", "cache": "fp16", "B": 1},
)
