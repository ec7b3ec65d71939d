"""Bytes of a paged KV cache

Room that comes in pages of so many tokens: the last page of each sequence is reserved whole. Where all blocks have
pages of one size and none gives any back, as a simple server does it, a block with a window reserves as many as one
without. What of a page stays empty is on average half of it.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.architecture import CACHED, Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, M_paged, N, m_token, n_page
from symbolic_llm.steps import multiply, premise
from symbolic_llm.unevaluated import Eq

PAGES = floor((N + n_page - one_token) / n_page)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_paged, B * PAGES * n_page * m_token),
    models=(*CACHED, Trait.PICKED),
    uses=(kv_bytes_per_token,),
    steps=(
        premise(m_token, "one token, in all blocks", measured_by="cache.bytes_of_a_token"),
        multiply(n_page, n_page * m_token, "so many in a page", measured_by="cache.bytes_in_pages(batch=1, pages=1)"),
        multiply(
            B,
            B * n_page * m_token,
            "no page has tokens of two sequences",
            measured_by="cache.bytes_in_pages(pages=1)",
        ),
        multiply(PAGES, B * PAGES * n_page * m_token, "pages of each sequence, the last one whole"),
    ),
    measured_by="cache.bytes_in_pages",
    example={"model": "gpt-oss-20b", "cache": "bf16", "N": 8192, "B": 32, "n_page": 16},
)
