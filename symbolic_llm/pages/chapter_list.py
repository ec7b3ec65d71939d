"""Chapters of the book in the order of the site, each with its question and how long it takes to read"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .llms_txt import sections

_BOOK = "Book"  # its heading in the site's order
_FOLDER = "book/"
_WORDS_A_MINUTE = 180  # of prose with numbers in it
_MINUTES_A_FIGURE = 0.5
_NO_WORDS = re.compile(r"```.*?```|{%.*?%}|<#.*?#>", re.DOTALL)
_ANSWER = re.compile(r"{% call exercise\(.*?{% endcall %}", re.DOTALL)
_EMBED = re.compile(r"{{.*?}}", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.?!])\s")


@dataclass(frozen=True)
class BookChapter:
    """A chapter as the table of contents shows it.

    Attributes:
        number: its place in the book, from one.
        path: where it stands, from the root of the site.
        title: its heading.
        question: the question that it opens with.
        minutes: how long it takes to read without its exercises.
    """

    number: int
    path: str
    title: str
    question: str
    minutes: int


def chapters(docs: Path) -> tuple[BookChapter, ...]:
    """The chapters that the site lists under the book.

    Args:
        docs: the folder of the written pages.
    """
    return tuple(_chapters(docs))


def _chapters(docs: Path) -> Iterator[BookChapter]:
    listed = [path for path in sections(docs).get(_BOOK, ()) if path.startswith(_FOLDER)]
    for number, path in enumerate(listed, 1):
        text = (docs / path).read_text(encoding="utf-8")
        title, _, rest = text.partition("\n")
        yield BookChapter(number, path, title.removeprefix("# "), _question(rest), minutes(text))


def _question(text: str) -> str:
    """The first paragraph of a chapter, without its sentences that embed something: a table has no place for these."""
    paragraphs = [part.strip() for part in _NO_WORDS.sub("", text).split("\n\n")]
    first = next((part for part in paragraphs if part and not _EMBED.fullmatch(part)), "")
    return " ".join(sentence for sentence in _SENTENCE.split(" ".join(first.split())) if "{{" not in sentence)


def minutes(text: str) -> int:
    """Minutes in which a chapter is read: its words, an embedded number being one, and a look at each figure."""
    without = _NO_WORDS.sub("", _ANSWER.sub("", text))
    words = len(_EMBED.sub("number", without).split())
    return math.ceil(words / _WORDS_A_MINUTE + _MINUTES_A_FIGURE * text.count("{{ figure("))
