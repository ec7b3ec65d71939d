"""Chapters of the book in the order of the site, each with its question, what it needs and how long it takes to read"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import listed
from .examples import EXAMPLE, Example, choices
from .llms_txt import sections
from .pen import Pen

_BOOK = "Book"  # its heading in the site's order
_FOLDER = "book/"
_WORDS_A_MINUTE = 180  # of prose with numbers in it
_MINUTES_A_FIGURE = 0.5
_NO_WORDS = re.compile(r"```.*?```|{%.*?%}|<#.*?#>", re.DOTALL)
_FOLDED = re.compile(r"{% call (?:exercise|case|unfolding)\(.*?{% endcall %}", re.DOTALL)
_EMBED = re.compile(r"{{.*?}}", re.DOTALL)
_CITED = re.compile(r'"(\w+)"|\bformulas/(\w+)\.md')
_DRAWN = re.compile(r'\b(?:formula|steps)\("(\w+)"')
_CHAPTER = re.compile(r"\]\(([\w-]+\.md)")
_SENTENCE = re.compile(r"(?<=[.?!])\s")


@dataclass(frozen=True)
class BookChapter:
    """A chapter as the table of contents shows it.

    Attributes:
        number: its place in the book, from one.
        path: where it stands, from the root of the site.
        title: its heading.
        question: the question that it opens with.
        needs: the numbers of the chapters that it builds on, without those that others of them build on.
        minutes: how long it takes to read without its exercises, its case, hints and solutions.
    """

    number: int
    path: str
    title: str
    question: str
    needs: tuple[int, ...]
    minutes: int


def chapters(docs: Path) -> tuple[BookChapter, ...]:
    """The chapters that the site lists under the book.

    Args:
        docs: the folder of the written pages.
    """
    paths = [path for path in sections(docs).get(_BOOK, ()) if path.startswith(_FOLDER)]
    before: dict[str, BookChapter] = {}
    drawn_first: dict[str, str] = {}
    below: dict[str, set[str]] = {}  # all that a chapter builds on, directly or not
    for number, path in enumerate(paths, 1):
        text = (docs / path).read_text(encoding="utf-8")
        title, _, rest = text.partition("\n")
        direct = {drawn_first[name] for name in cited(text) & drawn_first.keys()}
        direct |= {f"{_FOLDER}{name}" for name in _CHAPTER.findall(text)} & before.keys()
        deeper = {far for other in direct for far in below[other]}
        needs = tuple(one.number for one in before.values() if one.path in direct - deeper)
        below[path] = direct | deeper
        drawn_first |= dict.fromkeys(drawn(text) - drawn_first.keys(), path)
        before[path] = BookChapter(number, path, title.removeprefix("# "), _question(rest), needs, minutes(text))
    return tuple(before.values())


def drawn(text: str) -> set[str]:
    """Names of the formulas that a written page shows on lines of their own, or derives."""
    return set(_DRAWN.findall(text))


def cited(text: str) -> set[str]:
    """Names that may be of formulas, wherever a written page has them: shows them, computes by them, links to them."""
    return {name for names in _CITED.findall(text) for name in names}


def headed(book: Sequence[BookChapter], path: str, text: str, pen: Pen, example: Example = EXAMPLE) -> str:
    """A written page: a chapter's with its number before its title, and below it what it needs and its examples."""
    for chapter in book:
        if chapter.path == path:
            needed = (book[number - 1] for number in chapter.needs)
            links = [pen.link(example.path(one.path.removesuffix(".md")), str(one.number), one.title) for one in needed]
            said = (
                f"Needs chapter{'s' if len(links) > 1 else ''} {listed(links)}" if links else "Needs no other chapter"
            )
            _, _, rest = text.partition("\n")
            about = pen.block("needs", pen.items([said, *_choice(path, pen, example)]))
            return f"# {chapter.number} {chapter.title}\n\n{about}\n{rest}"
    return text


def _choice(path: str, pen: Pen, example: Example) -> Iterator[str]:
    """Examples between which a reader of a chapter can choose, each but its own with a link."""
    if pages := choices(path):
        shown = ((one, pen.words(one.words), page) for one, page in pages.items())
        yield "Numbers for: " + " | ".join(
            pen.emphasis(words) if one == example else pen.link(page, words) for one, words, page in shown
        )


def _question(text: str) -> str:
    """The first paragraph of a chapter, without its sentences that embed something: a table has no place for these."""
    paragraphs = [part.strip() for part in _NO_WORDS.sub("", text).split("\n\n")]
    first = next((part for part in paragraphs if part and not _EMBED.fullmatch(part)), "")
    return " ".join(sentence for sentence in _SENTENCE.split(" ".join(first.split())) if "{{" not in sentence)


def minutes(text: str) -> int:
    """Minutes in which a chapter is read: its words, an embedded number being one, and a look at each figure."""
    without = _NO_WORDS.sub("", _FOLDED.sub("", text))
    words = len(_EMBED.sub("number", without).split())
    return math.ceil(words / _WORDS_A_MINUTE + _MINUTES_A_FIGURE * text.count("{{ figure("))
