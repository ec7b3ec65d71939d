"""Bytes of a page

In all blocks together, if their pages have one size: a block with a window has as large a page as one without.
"""

from symbolic_llm.architecture import CACHED, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.notation import m_page, m_token, n_page
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(m_page, m_token * n_page),
    models=(*CACHED, Trait.PICKED),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(m_token, "one token, in all blocks", measured_by="cache.bytes_of_a_token"),
        multiply(n_page, CLAIM, "so many in a page"),
    ),
    measured_by="cache.bytes_of_a_page",
    example={"model": "llama-3-8b", "cache": "fp16", "n_page": 16},
)
