"""A measured set: its header, and its columns in base units

A set is read as if someone hostile had written it: header and table are bounded in size, a column has to be in a unit
of what it is a column of, a value has to lie where such quantities lie, and the table has to be the one that the header
was written for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..errors import InvalidValue, SymbolicLLMError, ended, known_name
from ..files import content
from ..presets.device_files import toml_of
from . import table_files
from .columns import Column, column_of
from .rows import Rows

FOLDER = Path(__file__).parent / "data"
_LARGEST_HEADER = 2**17  # bytes
_TEXTS = ("title", "purpose", "measured_by", "source", "licence", "confidence", "how")
_LONGEST_TEXT = 1200


@dataclass(frozen=True)
class MeasuredSet:
    """A set of measurements.

    Attributes:
        name: the name of its file.
        title: what was measured, in a few words.
        purpose: what it is good for.
        measured_by: who measured it.
        source: where the figures stand, with the commit.
        url: where that can be read; "" where it is this project's own.
        licence: under which they are given.
        confidence: how far they can be trusted, and why.
        how: how they came from the source into this table.
        left_out: each rule by which rows were left out.
        columns: what each column is.
        count: the number of rows.
        digest: SHA-256 of the table.
    """

    name: str
    title: str
    purpose: str
    measured_by: str
    source: str
    licence: str
    confidence: str
    how: str
    left_out: tuple[str, ...]
    columns: Mapping[str, Column]
    count: int
    digest: str
    url: str = ""
    folder: Path = FOLDER

    @cached_property
    def rows(self) -> Rows:
        """All rows, in base units; `InvalidValue` with the line and what is wrong in it."""
        where = f"{self.name}{table_files.ENDING}"
        return table_files.read(self.folder / where, where, self.columns, self.count, self.digest)


@cache
def names() -> tuple[str, ...]:
    """Names of all sets; none where the package was installed without them."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def measured_set(name: str) -> MeasuredSet:
    """The set of that name; `UnknownName` with the nearest."""
    if not names():
        raise InvalidValue("this installation has no measurements; they are in the sources of the package.")
    return read_set(FOLDER / f"{known_name('set of measurements', name, names())}.toml")


def read_set(path: Path) -> MeasuredSet:
    """The set of a header; `InvalidValue` says in a sentence what is wrong with it."""
    where = path.name
    data = content(str(path), _LARGEST_HEADER, InvalidValue, "is larger than any header of measurements")
    found = toml_of(data, where, InvalidValue)
    try:
        return MeasuredSet(name=path.stem, folder=path.parent, **_checked(found))
    except SymbolicLLMError as error:
        raise InvalidValue(f"{where}: {ended(error)}") from None


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    allowed = [one.name for one in fields(MeasuredSet) if one.name not in ("name", "folder")]
    for key in found:
        known_name("field", key, allowed)
    for key in _TEXTS:
        _text(key, found.get(key))
    if not isinstance(found.get("url", ""), str):
        raise InvalidValue("url must be given as text.")
    rules = found.get("left_out")
    if not isinstance(rules, list):
        raise InvalidValue("left_out must be a list of rules, empty if every row is here.")
    for rule in rules:
        _text("each rule of left_out", rule)
    if type(found.get("count")) is not int or found["count"] < 0:
        raise InvalidValue("count must be the number of rows.")
    if not isinstance(found.get("digest"), str):
        raise InvalidValue("digest must be the SHA-256 of the table, as text.")
    if not isinstance(found.get("columns"), dict) or not found["columns"]:
        raise InvalidValue("columns must have a table for each column.")
    columns = {name: column_of(name, about) for name, about in found["columns"].items()}
    return found | {"left_out": tuple(rules), "columns": columns}


def _text(key: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidValue(f"{key} must be given as text.")
    if len(value) > _LONGEST_TEXT:
        raise InvalidValue(f"{key} is longer than {_LONGEST_TEXT} signs.")
