"""Two pens: one writes for the site, the other the plain Markdown twin of each page

A page asks its pen for everything that it shows, so page and twin say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..expressions.html import code as html_code
from ..expressions.html import table as html_table
from ..expressions.printing import tex
from .html import mathml

Row = Sequence[str]


class Pen:
    """Writes the pieces of one page as plain Markdown, for its twin: no HTML, mathematics as LaTeX between dollars.

    Attributes:
        root: the way from the page to the root of the site: "" or "../".
        unit_space: stands between a number and its unit.
    """

    unit_space = " "

    def __init__(self, root: str) -> None:
        self.root = root

    def math(self, claim: Any, *, display: bool = False) -> str:
        """An expression, relation or claim."""
        return self.latex(tex(claim), display=display)

    def item(self, claim: Any) -> str:
        """An expression or relation that begins an item of a list."""
        return self.math(claim)

    def latex(self, latex: str, *, display: bool = False) -> str:
        """Mathematics, in the line or on a line of its own."""
        return f"\n\n$$\n{latex}\n$$\n\n" if display else f"${latex}$"

    def inline(self, shown: str) -> str:
        """Mathematics that may stand first in a paragraph."""
        return shown

    def words(self, text: str) -> str:
        """Text as it is."""
        return text.replace("$", r"\$")  # a price is no mathematics

    def code(self, text: str) -> str:
        """A name or an expression of Python."""
        return f"`{text}`"

    def link(self, page: str, shown: str, label: str = "") -> str:
        """A link to a page of the site ("formulas/latency", with an anchor or without); `shown` is written already.

        What is shown as mathematics alone needs a label, for those who have it read to them.
        """
        path = page.partition("#")[0]  # plain Markdown has no anchors but those of its headings
        return f"[{shown}]({self.root}{path}.md)" if path else shown

    def cite(self, url: str, shown: str) -> str:
        """A link that leaves the site."""
        return f"[{shown}]({url})"

    def emphasis(self, shown: str) -> str:
        """Text that stands out in a line."""
        return f"**{shown}**"

    def quiet(self, shown: str, kind: str = "note") -> str:
        """Text that stands back."""
        return shown

    def badge(self, word: str, meaning: str) -> str:
        """A word for what a formula rests on."""
        return word

    def mark(self, word: str, shown: str) -> str:
        """Mark of a verdict."""
        return word

    def paragraph(self, shown: str) -> str:
        """A paragraph."""
        return f"\n\n{shown}\n\n"

    def items(self, lines: Iterable[str]) -> str:
        """A list."""
        return "\n\n" + "\n".join(f"- {line}" for line in lines) + "\n\n"

    def table(self, head: Row, rows: Iterable[Row], kind: str) -> str:
        """A table; numbers are aligned where a cell is nothing else."""
        listed = [[_cell(cell) for cell in row] for row in rows]
        width = max((len(row) for row in (head, *listed)), default=0)
        lines = [[*map(_cell, head), *[""] * (width - len(head))], ["---"] * width, *listed]
        return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"

    def fold(self, summary: str, content: str, kind: str = "") -> str:
        """A part that is folded away on the site."""
        return f"\n\n**{summary}**\n\n{content}\n\n"

    def section(self, text: str, anchor: str = "") -> str:
        """A heading that the list of contents has; an anchor in the place of its words."""
        return f"\n\n## {text}{f' {{#{anchor}}}' if anchor else ''}\n\n"

    def block(self, kind: str, content: str) -> str:
        """A part with a style of its own."""
        return f"\n\n{content}\n\n"

    def anchored(self, anchor: str, shown: str) -> str:
        """Something that can be linked to."""
        return shown

    def value(self, shown: str, source: str) -> str:
        """A number, with how it comes about where the pointer rests, or for whoever touches it or goes there by key."""
        return self.words(shown)

    def listing(self, lines: str, language: str = "python") -> str:
        """Lines of a language; the theme puts a button beside them that copies them."""
        return f"\n\n```{language}\n{lines}\n```\n\n"

    def asked(self, kind: str, question: str, answer: str) -> str:
        """An "exercise" and its answer, a "case" and its steps, or a title and what is "unfolding", all Markdown."""
        told = {"exercise": f"**Exercise.** {question}\n\n*Answer.* ", "case": f"**Case.** {question}\n\n"}
        begun = told.get(kind, f"**{question}.**\n\n")
        return f"\n\n{begun}{answer}\n\n"

    def only_site(self, html: str) -> str:
        """HTML for the site alone, such as a picture; "" in plain text."""
        return ""


_REACHED = ' tabindex="0"'
_NOTES = '(?: <span class="note">[^<]*</span>)*'
_NUMBER = r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?(?: [kKMGTP]?i?(?:B|FLOP|FLOPS|OPS)(?:/s)?)?"
_ONLY_NUMBER = re.compile(_NUMBER + _NOTES)  # all that a cell has


_LONG = 90  # characters of LaTeX that may need a second line
_TOKEN = re.compile(r"\\left.|\\right.|\\begin|\\end|\\[A-Za-z]+|\\.|.", re.DOTALL)
_DEEPER = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}


def pieces(latex: str) -> list[str]:
    """LaTeX cut before the signs that stand in no bracket, each piece to be typeset by itself."""
    found, depth = [""], 0
    for token in _TOKEN.findall(latex):
        depth += next((step for sign, step in _DEEPER.items() if token.startswith(sign)), 0)
        if token in "+-=" and depth == 0 and found[-1].strip(" {}"):
            found.append("{} ")  # so that the sign stands between two things
        found[-1] += token
    return found


# the same words on every page, numbers by the hundred, and what the page of a formula says again
_UNSEARCHED = ("counts", "findings", "elsewhere", "held", "data", "known")


def _searched(made: str, tag: str, kind: str) -> str:
    """HTML of an element, which search leaves out if it is of a kind that search does not read."""
    return made.replace(f"<{tag}", f"<{tag} data-search-exclude", 1) if kind in _UNSEARCHED else made


class HtmlPen(Pen):
    """Pen for the site: HTML with MathML, each part on one line, which Markdown takes as it is."""

    unit_space = "\N{NO-BREAK SPACE}"

    def latex(self, latex: str, *, display: bool = False) -> str:  # noqa: D102
        if not display:
            return mathml(latex)
        parts = pieces(latex) if len(latex) > _LONG else [latex]
        if len(parts) == 1:
            return f'<div class="equation" tabindex="0">{mathml(latex, display=True)}</div>'
        # one after the other, so that lines break between them wherever the page ends
        return f'<div class="equation pieces" tabindex="0">{" ".join(map(mathml, parts))}</div>'

    def item(self, claim: Any) -> str:  # noqa: D102
        return self.math(claim, display=len(tex(claim)) > _LONG)

    def inline(self, shown: str) -> str:  # noqa: D102
        return f"<span>{shown}</span>"  # at the start of a line Markdown takes <math> for a block

    def words(self, text: str) -> str:  # noqa: D102
        return escape(text, quote=False)

    def code(self, text: str) -> str:  # noqa: D102
        return html_code(text)

    def link(self, page: str, shown: str, label: str = "") -> str:  # noqa: D102
        path, hash, anchor = page.partition("#")
        target = f"{self.root}{path}.html" if path else ""
        read = f' aria-label="{escape(label)}"' if label else ""
        return f'<a href="{escape(target + hash + anchor)}"{read}>{shown}</a>'

    def cite(self, url: str, shown: str) -> str:  # noqa: D102
        return f'<a href="{escape(url)}">{shown}</a>'

    def emphasis(self, shown: str) -> str:  # noqa: D102
        return f"<strong>{shown}</strong>"

    def quiet(self, shown: str, kind: str = "note") -> str:  # noqa: D102
        return f'<span class="{kind}">{shown}</span>'

    def badge(self, word: str, meaning: str) -> str:  # noqa: D102
        return f'<span class="badge {word.replace(" ", "-")}" title="{escape(meaning)}">{word}</span>'

    def mark(self, word: str, shown: str) -> str:  # noqa: D102
        return f'<span class="verdict {word.lower()}" title="{word}">{shown}</span>'

    def paragraph(self, shown: str) -> str:  # noqa: D102
        return f"<p>{shown}</p>"

    def items(self, lines: Iterable[str]) -> str:  # noqa: D102
        return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"

    def table(self, head: Row, rows: Iterable[Row], kind: str) -> str:  # noqa: D102
        listed = list(rows)
        made = _searched(html_table(head, listed, kind), "table", kind)
        aligned = re.sub(rf"<td>({_ONLY_NUMBER.pattern})</td>", r'<td class="n">\1</td>', made)
        columns = zip(*(row for row in listed if len(row) == len(head)), strict=True)
        for name, cells in zip(head, columns, strict=False):  # a name stands above its numbers
            if any(cells) and all(not cell or _ONLY_NUMBER.fullmatch(cell) for cell in cells):
                aligned = aligned.replace(f"<th>{name}</th>", f'<th class="n">{name}</th>', 1)
        return f'<div class="scroll" tabindex="0">{aligned}</div>'  # it scrolls by itself

    def fold(self, summary: str, content: str, kind: str = "") -> str:  # noqa: D102
        opened = f'<details class="{kind}">' if kind else "<details>"
        return _searched(f"{opened}<summary>{summary}</summary>{content}</details>", "details", kind)

    def block(self, kind: str, content: str) -> str:  # noqa: D102
        return f'<div class="{kind}">{content}</div>'

    def anchored(self, anchor: str, shown: str) -> str:  # noqa: D102
        return f'<span id="{anchor}">{shown}</span>'

    def value(self, shown: str, source: str) -> str:  # noqa: D102
        if not source:
            return escape(shown)
        lines = escape(source.replace("; ", ";\n")).replace("\n", "&#10;")
        return f'<span class="value"{_REACHED} title="{lines}">{escape(shown)}</span>'

    def listing(self, lines: str, language: str = "python") -> str:  # noqa: D102
        return f"<pre data-search-exclude><code>{escape(lines).replace(chr(10), '&#10;')}</code></pre>"

    def asked(self, kind: str, question: str, answer: str) -> str:  # noqa: D102
        # it is pressed itself, and holds nothing else to press
        question = re.sub(rf"</?a\b[^>]*>|{_REACHED}", "", question)
        inside = f'<summary markdown="span">{question}</summary>\n\n{answer}\n\n'
        style = "case" if kind == "case" else "exercise"
        return f'\n\n<details class="{style}" markdown="1">{inside}</details>\n\n'

    def only_site(self, html: str) -> str:  # noqa: D102
        return html


def _cell(shown: str) -> str:
    """Text of a cell, made to stand on one line of a table."""
    flat = re.sub(r"\s*\n\s*", " ", shown.strip()).replace("$$", "$")
    return re.sub(r"\$ ([^$]*) \$", r"$\1$", flat).replace("|", r"\|")
