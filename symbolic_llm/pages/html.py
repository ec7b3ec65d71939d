"""Small pieces of HTML for the site: mathematics, tables, folded parts"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(pretty_print="never")


@lru_cache(maxsize=8192)
def mathml(latex: str, *, display: bool = False) -> str:
    """LaTeX as MathML; raises math_core's `LatexError` for a command it does not know.

    The site's style gives fractions in a line the size of those on a line of their own, so their signs get the same
    room, too.
    """
    made = str(_converter().convert_with_local_state(latex, displaystyle=True))
    return made.replace("<math" if display else '<math display="block"', "<math data-search-exclude", 1)
