"""A claim: what a source prints, and what it should come to

A file of claims is TOML: the source, and a table [[claim]] for each figure or equation in its reading order. Nothing in
it is trusted, since authors write such files about their own articles: what is wrong is said in one sentence with the
file and the line at which the claim begins.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib import resources
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from ..errors import InvalidValue, SymbolicLLMError, known_name, shown, unknown_name
from ..files import content, path_of
from ..presets.device_files import read_toml
from .language import value_of
from .printed import read_printed

LONGEST_TEXT = 600
_LARGEST_FILE = 2**20
_CAUSES = "the page “Famous factors” of the site lists them"
_WANTED = {str: "text", int: "a whole number", bool: "true or false"}
_REFERS = re.compile(r"(The same|Its|Their|These|Those|That|As many)\b")
_BEGINS = re.compile(r"\s*\[\[\s*claim\s*\]\]")


@dataclass(frozen=True)
class Source:
    """Source of claims: an article, a book or a tool.

    Attributes:
        key: the name of its file.
        title: of the article, book or tool; it heads its page.
        author: who wrote it.
        year: when.
        url: where it can be read.
        right: what it got right, in a sentence; it stands first on its page.
        later: its own later corrections, if there are any.
        seen: how its figures were seen.
    """

    key: str
    title: str
    author: str = ""
    year: int = 0
    url: str = ""
    right: str = ""
    later: str = ""
    seen: str = ""


@dataclass(frozen=True)
class Claim:
    """Claim of a source: one figure or equation.

    Attributes:
        id: its name in its file.
        place: where in the source.
        says: what is claimed, in our own words.
        printed: the figure as printed, with the word before it: "about 30 token/s".
        value: what it should come to, in the language of claims; of what was measured, the law's figure if it has one.
        equation: in the place of both, an equation as printed.
        formula: the formula that gives the same letter.
        where: what an equation presupposes, as equations with a semicolon between them: "d_model = n_heads*d_head".
        unstated: inputs that the source does not state, in words, where the value rests on some.
        contradicts: another claim of the source on the same quantity.
        observed: whether it was measured, so that no law can refute it.
        cause: the name of what went wrong.
        because: the same as an expression, which has to give the printed figure.
        note: what else there is to say.
        line: where it begins in its file.
    """

    id: str
    place: str
    says: str
    printed: str = ""
    value: str = ""
    equation: str = ""
    formula: str = ""
    where: str = ""
    unstated: str = ""
    contradicts: str = ""
    observed: bool = False
    cause: str = ""
    because: str = ""
    note: str = ""
    line: int = 0


@dataclass(frozen=True)
class Claims:
    """A source with its claims, and the file they stand in."""

    source: Source
    claims: tuple[Claim, ...]
    file: str = ""

    def __getitem__(self, name: str) -> Claim:
        """The claim of that name; `UnknownName` if there is none."""
        for claim in self.claims:
            if claim.id == name:
                return claim
        raise unknown_name("claim", name, (claim.id for claim in self.claims), f"{self.source.key}: ")

    def apart(self, claim: Claim) -> str:
        """Text of a claim that stands alone: after the text that it refers to ("The cache. Its bytes in int8.")."""
        before = self.claims[: self.claims.index(claim)] if _REFERS.match(claim.says) else ()
        named = next((one.says for one in reversed(before) if not _REFERS.match(one.says)), "")
        return f"{named} {claim.says}".strip()

    @cached_property
    def decimal(self) -> bool:
        """Whether GB are 10^9 bytes here: some figure comes out with these, and not with GiB."""
        return any(map(_is_decimal, self.claims))


@dataclass(frozen=True)
class Cause:
    """A mistake that has a name.

    Attributes:
        title: what it is called, in a few words.
        mistake: what is wrong, in one sentence.
        story: who meant what, what was printed, and who put it right: a template of the site, with embeds for figures.
        kind: "rule" if it makes any figure of its kind wrong, "rounding" if digits were lost, "single" if it happened
            to one figure and could explain any other as well, "assumption" if it is none, and its source says so.
    """

    title: str
    mistake: str
    story: str = ""
    kind: str = "rule"


# The fields that a table has to have, and those that are not read from it.
NEEDED: dict[type, tuple[str, ...]] = {Source: ("title",), Claim: ("id", "place", "says")}
OWN: dict[type, tuple[str, ...]] = {Source: ("key",), Claim: ("line",)}


@lru_cache(maxsize=1)
def sources() -> tuple[Claims, ...]:
    """The sources that come with the package, by year and name."""
    folder = resources.files(__package__) / "claims"
    found = [
        read_claims(file.read_text(encoding="utf-8"), file.name)
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    return tuple(sorted(found, key=lambda one: (one.source.year, one.source.key)))


def source(key: str) -> Claims:
    """The claims of one source that comes with the package, by its key; `UnknownName` if there is none of that key."""
    every = {one.source.key: one for one in sources()}
    return every[known_name("audited source", key, every)]


@lru_cache(maxsize=1)
def causes() -> dict[str, Cause]:
    """The mistakes that have a name."""
    read = tomllib.loads((resources.files(__package__) / "causes.toml").read_text(encoding="utf-8"))
    return {name: Cause(**said) for name, said in read.items()}


def read_file(path: str | Path) -> Claims:
    """The claims of a file of one's own; `InvalidValue` with what is wrong."""
    return read_claims(text_of(path), Path(path).name)


def text_of(path: str | Path) -> str:
    """The text of a file that someone gave; `InvalidValue` where it is none, or too long."""
    text = path_of(path)
    try:
        return content(text, _LARGEST_FILE, InvalidValue, "is too large for a file of claims").decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidValue(f"{shown(text)} cannot be read: it is not text.") from None


def read_claims(text: str, name: str) -> Claims:
    """The claims of a text; `InvalidValue` with the file, the line and what is wrong."""
    try:
        read = read_toml(text)
    except ValueError as error:
        raise InvalidValue(f"{shown(name)} {error}.") from None
    tables = read.pop("claim", [])
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise InvalidValue(f"{shown(name)} has no claims; each claim begins with a line [[claim]].")
    begins = (number for number, line in enumerate(text.splitlines(), 1) if _BEGINS.match(line))
    key = Path(name).stem
    origin = Source(key, **_checked(Source, read, shown(name)))
    placed = zip(tables, chain(begins, repeat(0)), strict=False)
    claims = [_claim(table, f"{shown(name)}, line {line}", line) for table, line in placed]
    number = Counter(claim.id for claim in claims)
    for claim in claims:
        if number[claim.id] > 1:
            raise InvalidValue(f"{shown(name)}, line {claim.line}: two claims are called {shown(claim.id)}.")
    return Claims(origin, tuple(claims), name)


def _claim(table: Mapping[str, Any], where: str, line: int) -> Claim:
    claim = Claim(**_checked(Claim, table, where), line=line)
    if bool(claim.equation) == bool(claim.printed):
        raise InvalidValue(f"{where}: a claim must have either a printed figure or an equation, not both.")
    if claim.equation and not claim.formula:
        raise InvalidValue(f"{where}: an equation needs formula, the name of the formula it is compared with.")
    if claim.printed and not claim.value and not claim.observed:
        raise InvalidValue(f"{where}: value is missing; it says what the printed figure should be.")
    if claim.cause and claim.cause not in causes():
        raise InvalidValue(f"{where}: {unknown_name('cause', claim.cause, causes(), otherwise=_CAUSES)}")
    if claim.printed and bool(claim.cause) != bool(claim.because):
        raise InvalidValue(
            f"{where}: cause and because belong together: the name of a mistake, and an "
            f"expression that gives the printed figure."
        )
    return claim


def _checked(kind: type[Source] | type[Claim], table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The fields of a table, each of its type; `InvalidValue` for others and for those that are missing."""
    types = {field.name: field.type for field in fields(kind) if field.name not in OWN[kind]}
    for name, value in table.items():
        if name not in types:
            raise InvalidValue(f"{where}: {unknown_name('field', name, types)}")
        wanted = {"str": str, "int": int, "bool": bool}[str(types[name])]
        if type(value) is not wanted:
            raise InvalidValue(f"{where}: {name} must be {_WANTED[wanted]}, not {shown(repr(value))}.")
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise InvalidValue(f"{where}: {name} is too long.")
    if missing := [name for name in NEEDED[kind] if not table.get(name)]:
        raise InvalidValue(f"{where}: {missing[0]} is missing.")
    return dict(table)


def _is_decimal(claim: Claim) -> bool:
    """Whether a figure comes out as it is printed and not with GB read as GiB; False where it cannot be read."""
    with suppress(SymbolicLLMError):
        printed = read_printed(claim.printed)
        if claim.value and printed.binary is not None:
            value = value_of(claim.value)
            return printed.allows(value) and not printed.binary.allows(value)
    return False


def named_error(claim: Claim, key: str, error: SymbolicLLMError) -> InvalidValue:
    """The error of a claim, with the place where the claim stands."""
    return InvalidValue(f"{key}, line {claim.line}, {shown(claim.id)}: {error}")
