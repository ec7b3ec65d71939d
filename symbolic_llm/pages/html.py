"""Small pieces of HTML for the site: mathematics, tables, folded parts"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from ..expressions.html import code as code
from ..expressions.html import table as plain_table


@lru_cache(maxsize=1)
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(pretty_print="never")


@lru_cache(maxsize=8192)
def mathml(latex: str, *, display: bool = False) -> str:
    """LaTeX as MathML; raises math_core's `LatexError` for a command it does not know."""
    made = str(_converter().convert_with_local_state(latex, displaystyle=display))
    return made.replace("<math", "<math data-search-exclude", 1)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str) -> str:
    """A table in a box that scrolls by itself."""
    return f'<div class="scroll" tabindex="0">{plain_table(head, rows, kind)}</div>'


def details(summary: str, content: str) -> str:
    """A part that is folded away; works without JavaScript."""
    return f"<details><summary>{summary}</summary>{content}</details>"
