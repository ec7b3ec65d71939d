"""The words of the field, and the formulas that people mean by them: `terms.toml`

This is the one table of synonyms: commands and `find` read it, the tools of an assistant, the pages, and the
search of the site.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import unknown_name


@dataclass(frozen=True)
class Term:
    """A word of the field.

    Attributes:
        name: the word.
        meaning: what it means, in a sentence or two.
        also: other words for it, and abbreviations.
        see: the page that explains it, "book/batching".
        formulas: names of the formulas that are meant by it, the likeliest first.
    """

    name: str
    meaning: str
    see: str
    also: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Anchor of the term on the page of the glossary."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


@cache
def terms() -> dict[str, Term]:
    """Every term by its name, in the order of the alphabet."""
    read = tomllib.loads((Path(__file__).parent / "terms.toml").read_text(encoding="utf-8"))
    made = [
        Term(name, one["meaning"], one["see"], tuple(one.get("also", ())), tuple(one.get("formulas", ())))
        for name, one in read.items()
    ]
    return {term.name: term for term in sorted(made, key=lambda term: term.name.lower())}


def names_for(page: str) -> list[str]:
    """Every name of the terms that a page explains, "book/batching"."""
    return [name for term in terms().values() if term.see == page for name in (term.name, *term.also)]


def spelled(phrase: str) -> str:
    """A phrase as it is compared: small letters and digits alone, so that a hyphen, a blank or a stroke is none."""
    return re.sub(r"[^a-z0-9*$]+", "", phrase.lower())


@cache
def _by_phrase() -> Mapping[str, Term]:
    # of two terms that are spelled alike the first counts: flops are FLOP, and no FLOP/s
    every = [(phrase, term) for term in reversed(terms().values()) for phrase in (term.name, *term.also)]
    spelt = {spelled(phrase): term for phrase, term in every}
    plurals = {f"{phrase}s": term for phrase, term in spelt.items()}
    return plurals | spelt | dict(every)  # TPS is no plural of TP


def term_of(phrase: str) -> Term | None:
    """The term that a phrase names, however it is spelled; None if there is none."""
    return _by_phrase().get(phrase.strip()) or _by_phrase().get(spelled(phrase))


def entry(word: str) -> Term:
    """The term that a word names; `UnknownName` with the nearest if there is none."""
    if (term := term_of(word)) is None:
        raise unknown_name("term of the glossary", word, terms())
    return term
