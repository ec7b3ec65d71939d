"""Rows of figures, as text and as data"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import Any

from ..errors import listed
from ..expressions.arithmetic import number
from ..units import ONE, SECOND, TOKEN, WEIGHT, Unit, humanize


@dataclass(frozen=True)
class Row:
    """A row of a report: one figure, or the reason why there is none.

    Attributes:
        section: the heading it stands under.
        label: what it is.
        key: its name in JSON.
        value: exact, or None where there is none.
        unit: of the value.
        formula: the name with which `evaluate` gives the value.
        letters: letters that the formula was given beside the presets.
        note: why there is no value, or what is to be said of it.
        copies: how many of it there are, where the value is that of one.
        bound: what it is at least or at most, where there is no value: "≥ 3.871 ms".
    """

    section: str
    label: str
    key: str
    value: Fraction | None
    unit: Unit = ONE
    formula: str = ""
    letters: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    note: str = ""
    copies: int = 1
    bound: str = ""

    def shown(self) -> str:
        """The value as a person would write it."""
        if self.value is None:
            return self.bound or "–"
        digits = len(str(int(self.value))) if self.unit in (ONE, WEIGHT) and self.value.denominator == 1 else 4
        return humanize(self.value, self.unit, digits)


_section = attrgetter("section")


def noted(row: Row, *notes: str) -> Row:
    """The row with these notes too, or unchanged where it has no value and its note already says why."""
    return row if row.value is None else replace(row, note=", ".join(filter(None, (row.note, *notes))))


def of_a_step(step: Row, label: str, key: str, batch: int, *notes: str) -> Row:
    """Row with the tokens a second of steps that have a time, and give each sequence of a batch one token."""
    assert step.value is not None
    found = replace(step, label=label, key=key, value=batch / step.value, unit=TOKEN / SECOND, formula="", letters={})
    return noted(replace(found, note="batch ÷ decoding step"), *notes)


def sections(rows: list[Row]) -> Iterator[str]:
    """The rows as lines, each section under its heading."""
    width, figures = (max(map(len, cells)) for cells in zip(*((row.label, row.shown()) for row in rows), strict=True))
    for section, some in groupby(rows, _section):
        yield from ("", section)
        for row in some:
            notes = "; ".join(filter(None, (row.formula, row.note)))
            yield f"  {row.label:<{width}}  {row.shown():>{figures}}  {notes}".rstrip()


def letters_of_sections(rows: Iterable[Row], common: Mapping[str, str]) -> Iterator[str]:
    """Letters that some sections have besides those `common` to all, as in "B=1 under Operations".

    Where the rows of a section differ in a letter, its values are listed in the order of the rows. Rows with labels set
    in, below another, say themselves what is different.
    """
    found: dict[str, dict[str, dict[str, None]]] = {}
    for row in (one for one in rows if not one.label.startswith("  ")):
        for letter, value in row.letters.items():
            if letter not in common or (letter in ("N", "B") and common[letter] != str(value)):
                section = re.split(" at | of |:", row.section)[0]
                found.setdefault(section, {}).setdefault(letter, {})[str(number(value))] = None
    for section, letters in found.items():
        said = listed(f"{letter}={' or '.join(values)}" for letter, values in letters.items())
        yield f"{said} under {section}"


def html(title: str, said: str, rows: Iterable[Row]) -> str:
    """HTML table of the rows, each section under its heading, after the title and a remark on all rows."""
    from ..expressions.html import code, paragraph, table, words

    lines: list[tuple[str, ...]] = []
    for section, some in groupby(rows, _section):
        lines.append((f"<strong>{words(section)}</strong>", "", ""))
        for row in some:
            notes = filter(None, (code(row.formula) if row.formula else "", words(row.note)))
            lines.append((words(row.label), words(row.shown()), "; ".join(notes)))
    head = paragraph(f"<strong>{words(title)}</strong>") + (paragraph(words(said)) if said else "")
    return head + table(("", "", "by"), lines)


def as_data(rows: Iterable[Row]) -> tuple[dict[str, int | float | None], list[dict[str, Any]]]:
    """The figures by key, and the rows with what they are about, formula, letters and notes."""
    rows = [*rows]
    figures = {row.key: None if row.value is None else number(row.value) for row in rows}
    names = [field.name for field in fields(Row)]
    return figures, [told(row, *names) | {"label": row.label.strip()} for row in rows]


def told(one: object, *names: str) -> dict[str, Any]:
    """Some attributes for JSON, by name."""
    return {name: _plain(getattr(one, name)) for name in names}


def _plain(value: Any) -> Any:
    """An exact value as a number, a unit as text, and whatever is in a mapping or a tuple alike."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return number(value) if isinstance(value, Fraction) else str(value) if isinstance(value, Unit) else value


def aligned(rows: list[tuple[str, ...]], words: tuple[int, ...]) -> Iterator[str]:
    """The rows as lines, columns of words to the left, of figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if place in words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
