"""Small pieces of HTML: what notebooks show, and the pages of the site

Mathematics stands between dollars, which notebooks typeset; all text is escaped, its dollars too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .printing import tex


def typeset(latex: str) -> str:
    """LaTeX, for a notebook to typeset."""
    return f"${escape(latex)}$"


def math(claim: Any) -> str:
    """An expression, relation or claim, for a notebook to typeset."""
    return typeset(rf"\displaystyle {tex(claim)}")


def words(text: str) -> str:
    """Text as HTML that shows it as it is."""
    return escape(text).replace("$", r"\$")


def code(text: str) -> str:
    """Name or expression of Python as HTML."""
    return f"<code>{escape(text)}</code>"


def paragraph(content: str, note: str = "") -> str:
    """A paragraph of HTML, with a remark in words."""
    return f"<p>{content}{f' <em>({words(note)})</em>' if note else ''}</p>"


def items(lines: Iterable[str]) -> str:
    """A list of HTML, one item for each; nothing for none."""
    listed = "".join(f"<li>{line}</li>" for line in lines)
    return f"<ul>{listed}</ul>" if listed else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table on one line, so that Markdown takes it as it is; cells are HTML already."""
    header = f"<thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    attribute = f' class="{kind}"' if kind else ""
    return f"<table{attribute}>{header}<tbody>{body}</tbody></table>"
