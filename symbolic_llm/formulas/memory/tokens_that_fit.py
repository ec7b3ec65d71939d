"""Tokens that fit beside the weights

The room that the weights leave, divided by what one token keeps. Batch and context share it: it holds one long
sequence or many short ones.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.memory.memory_left import FORMULA as memory_left
from symbolic_llm.notation import m_token, n_fit
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(n_fit, memory_left.rhs / m_token),
    models=(Trait.FULL,),
    uses=(memory_left, kv_bytes_per_token),
    steps=(
        cite(memory_left, "what the weights leave of the memory"),
        divide(m_token, CLAIM, "each token takes its bytes, whosever it is", measured_by="cache.bytes_of_a_token"),
    ),
    measured_by="memory.tokens_that_fit",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16"},
)
