"""Longest context that fits

What the weights leave of the memory is shared by the sequences of the batch.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, N_fit, m_token
from symbolic_llm.steps import CLAIM, cite, divide, round_down
from symbolic_llm.unevaluated import Eq

TOKENS = memory_left.rhs / (B * m_token)

FORMULA = Formula(
    __name__,
    claim=Eq(N_fit, one_token * floor(TOKENS / one_token)),
    models=(Trait.FULL, Trait.PICKED),
    uses=(memory_left, kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(
            B * m_token,
            TOKENS,
            "a token of context takes its bytes once for each sequence",
            measured_by="cache.bytes(context=1)",
        ),
        round_down(one_token, CLAIM, "only whole tokens count"),
    ),
    measured_by="memory.context_that_fits",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "B": 1},
)
