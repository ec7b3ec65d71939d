"""Pages as a parser sees them: what they say, what they load, and which of them show every part at its longest

A page of a formula is laid out like four hundred others. What can go wrong with its layout goes wrong where a part is
longest: a text without a gap, a row of many. So a browser looks at the pages that have some kind of part at its longest
or most often; a kind is a tag with its classes, within another. What a page says and loads is read on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_SILENT = frozenset({"script", "style", "title", "svg", "template"})
_INLINE = frozenset({"a", "b", "code", "em", "i", "mi", "mn", "mo", "mrow", "msub", "small", "span", "strong"})
_LOADING = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}

Kind = tuple[str, str]  # a part and what it is in, each a tag with its classes


class Page(HTMLParser):
    """Text, addresses and parts of a page.

    Attributes:
        text: what it says, a line for each block.
        loads: addresses of what it loads when it is opened.
        parts: by kind, the length of the longest text in such a part, and how many parts there are.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.loads: list[str] = []
        self.parts: dict[Kind, tuple[int, int]] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a part."""
        given = dict(attrs)
        if (address := given.get(_LOADING.get(tag, ""))) and given.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(address)
        if tag not in _INLINE:
            self.text += "\n"
        part = ".".join([tag, *sorted((given.get("class") or "").split())])
        kind = part, self._open[-1] if self._open else ""
        longest, number = self.parts.get(kind, (0, 0))
        self.parts[kind] = longest, number + 1
        if tag not in _EMPTY:
            # what is there to be copied stands as it is copied
            self._open.append("template" if tag == "pre" and "data-search-exclude" in given else part)

    def handle_endtag(self, tag: str) -> None:
        """Leave a part, and those in it that nobody closed."""
        if tag not in _INLINE:
            self.text += "\n"
        while tag not in _EMPTY and self._open and self._open.pop().partition(".")[0] not in (tag, "template"):
            pass

    def handle_data(self, data: str) -> None:
        """Hear a text."""
        if not self._open or {part.partition(".")[0] for part in self._open} & _SILENT:
            return
        self.text += data.replace("\N{NO-BREAK SPACE}", " ")  # as it is read
        kind = self._open[-1], self._open[-2] if len(self._open) > 1 else ""
        longest, number = self.parts.get(kind, (0, 0))
        self.parts[kind] = max(longest, len(data)), number


@cache
def page(path: Path) -> Page:
    """A page, read once."""
    return Page(path.read_text(encoding="utf-8"))


def longest(site: Path, names: Iterable[str]) -> list[str]:
    """Pages that have some kind of part at its longest, or most often; of several that have, the first."""
    best: dict[tuple[Kind, int], tuple[int, str]] = {}
    for name in names:
        for kind, sizes in page(site / name).parts.items():
            for place, size in enumerate(sizes):
                if size > best.get((kind, place), (-1, ""))[0]:
                    best[kind, place] = size, name
    return sorted({name for _, name in best.values()})


def missing(site: Path, name: str) -> Iterator[str]:
    """Addresses that a page loads from elsewhere, or that are not there."""
    for address in page(site / name).loads:
        if "://" in address.partition("?")[0] or address.startswith("//"):
            yield f"remote: {address}"
        elif not address.startswith("data:") and not (site / name).parent.joinpath(address.partition("?")[0]).exists():
            yield f"failed: {address}"


_BESIDE = frozenset({"table", "figure", "details", "svg", "h1", "h2", "h3"})
_ASIDE = frozenset({"embedded", "steps", "needs", "see-also", "calculator"})


class RunningLinks(HTMLParser):
    """Addresses that the running text of a page links to: paragraphs and lists of its article, and what is in them.

    Beside it are tables, figures, boxes of formulas, headings, exercises and what else one may see.

    Attributes:
        found: the addresses, in order.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self.feed(html.partition("<article")[2].partition("</article>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a part."""
        given = dict(attrs)
        beside = tag in _BESIDE or _ASIDE & set((given.get("class") or "").split())
        if tag == "a" and "beside" not in self._open and {"p", "li"} & set(self._open):
            self.found.append(given.get("href") or "")
        if tag not in _EMPTY:
            self._open += [tag, "beside" if beside else ""]

    def handle_endtag(self, tag: str) -> None:
        """Leave a part."""
        if tag in self._open:
            while self._open.pop(-2) != tag:
                self._open.pop()
            self._open.pop()
