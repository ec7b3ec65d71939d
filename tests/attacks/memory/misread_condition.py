"""Tokens that fit, under a condition whose sentence says the opposite

The relation asks that the weights leave room; the sentence says that they do not.
"""

from sympy import Eq, Gt

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.footprint import FORMULA as footprint
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import M, P_total, m_token, n_bytes, n_fit
from symbolic_llm.steps import divide, premise

too_large = Condition(Gt(M, P_total * n_bytes, evaluate=False), "the weights are larger than the memory")
TOKENS = (M - P_total * n_bytes) / m_token

FORMULA = Formula(
    __name__,
    claim=Eq(n_fit, TOKENS),
    where=(too_large,),
    models=(Trait.FULL,),
    uses=(weight_bytes, kv_bytes_per_token, footprint),
    steps=(
        premise(M - weight_bytes.rhs, "the memory that the weights leave", measured_by="memory.left"),
        divide(m_token, TOKENS, "each token takes its bytes", measured_by="cache.bytes_of_a_token"),
    ),
    measured_by="memory.tokens_that_fit",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16"},
)
