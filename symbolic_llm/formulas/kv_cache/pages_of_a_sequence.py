"""Pages of a sequence

Room for a KV cache comes in pages of so many tokens, one after the other as they are needed. So there are as many as
its tokens fill, and one more for those that are left over: the quotient rounded up.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import N, n_page, n_pages
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

ROUNDED_UP = floor((N + n_page - one_token) / n_page)

FORMULA = Formula(
    __name__,
    claim=Eq(n_pages, ROUNDED_UP),
    steps=(premise(ROUNDED_UP, "those that are full, and one for what is left over"),),
    measured_by="cache.pages_of_a_sequence",
    example={"N": 1000, "n_page": 16},
)
