"""Bytes of a paged KV cache

Each sequence has pages of its own, the last one whole. Where all blocks have pages of one size and none gives any back,
as a simple server does it, a block with a window reserves as many as one without.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.page_bytes import FORMULA as page_bytes
from symbolic_llm.formulas.kv_cache.pages_of_a_sequence import FORMULA as pages_of_a_sequence
from symbolic_llm.notation import B, M_paged, m_page, n_pages
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(M_paged, B * n_pages * m_page),
    models=page_bytes.models,
    uses=(page_bytes, pages_of_a_sequence),
    steps=(
        premise(m_page, "one page", measured_by="cache.bytes_of_a_page"),
        multiply(n_pages, n_pages * m_page, "those of a sequence", measured_by="cache.bytes_in_pages(batch=1)"),
        multiply(B, CLAIM, "no page has tokens of two sequences"),
    ),
    measured_by="cache.bytes_in_pages",
    example={"model": "gpt-oss-20b", "cache": "bf16", "N": 8192, "B": 32, "n_page": 16},
)
