"""Columns of measurements: what each is a quantity of, its unit, and values that it may have"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from ..errors import InvalidValue, WrongUnit, known_name, shown
from ..units import BYTE, ONE, SECOND, SEQUENCE, TOKEN, WATT, Unit, parse_unit
from .rows import Array, Numbers


@dataclass(frozen=True)
class Quantity:
    """A kind of quantity: its unit, where its values lie on any machine there is, and whether they are whole."""

    unit: Unit
    least: float
    most: float
    whole: bool = False


# What lies outside is a slip of a unit or of a digit: no kernel takes less than 10 ns, no request longer than ten days.
QUANTITIES = {
    "time": Quantity(SECOND, 1e-8, 1e6),
    "tokens": Quantity(TOKEN, 0, 1e8, whole=True),
    "sequences": Quantity(SEQUENCE, 1, 1e6, whole=True),
    "bytes": Quantity(BYTE, 1, 1e14, whole=True),
    "speed": Quantity(TOKEN / SECOND, 1e-4, 1e9),
    "power": Quantity(WATT, 0.1, 1e6),
    "count": Quantity(ONE, 0, 1e10, whole=True),
}
NAME = "name"  # of a column of text
_LONGEST_NAME = 120
_KEYS = ("quantity", "unit", "meaning", "missing")


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        name: of the column.
        quantity: what it holds: a kind of quantity, or names.
        unit: the unit that its values are written in; "" for names and counts.
        meaning: what it says of a row.
        missing: why a row may have no value there, which is then not a number; "" where every row has one.
    """

    name: str
    quantity: str
    unit: str
    meaning: str
    missing: str = ""

    def values(self, written: Sequence[str]) -> Array:
        """The values of the column in base units; `InvalidValue` names the line of the first that cannot be one."""
        if self.quantity == NAME:
            return self._names(written)
        left_out = numpy.array([bool(self.missing) and not text for text in written])
        try:
            numbers: Numbers = numpy.array([text or "nan" for text in written], dtype=numpy.float64)
        except ValueError:
            raise self._wrong(written, [not _is_number(text) for text in written], "is no number") from None
        kind = QUANTITIES[self.quantity]
        scale = float(parse_unit(self.unit).scale) if self.unit else 1.0
        numbers = numbers * scale
        lies = left_out | (numbers >= kind.least) & (numbers <= kind.most)  # false of what is not a number too
        if not lies.all():
            raise self._wrong(written, ~lies, f"is no {self.quantity} that a machine has, in {self.unit or 'ones'}")
        whole = left_out | (numbers == numpy.round(numbers))
        if kind.whole and not whole.all():
            raise self._wrong(written, ~whole, "is not whole")
        return numbers

    def _names(self, written: Sequence[str]) -> Array:
        odd = {text for text in {*written} if not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable()}
        if odd:
            raise self._wrong(written, [text in odd for text in written], "is no name")
        return numpy.array(written)

    def _wrong(self, written: Sequence[str], wrong: Sequence[bool] | Array, why: str) -> InvalidValue:
        place = next(place for place, one in enumerate(wrong) if one)
        # the first line has the names of the columns
        return InvalidValue(f"line {place + 2}: {self.name} {shown(written[place], 40)!r} {why}.")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def column_of(name: str, about: object) -> Column:
    """A column as a header describes it; `InvalidValue` or `WrongUnit` says what is wrong with the description."""
    if not isinstance(about, Mapping) or not all(isinstance(value, str) for value in about.values()):
        raise InvalidValue(f"the column {shown(name)} must have {', '.join(_KEYS[:3])} as texts.")
    for key in about:
        known_name("field of a column", key, _KEYS)
    found = Column(name, *(about.get(key, "") for key in _KEYS))
    known_name(f"quantity of {shown(name)}", found.quantity, (*QUANTITIES, NAME))
    if not found.meaning.strip():
        raise InvalidValue(f"the column {shown(name)} does not say what it means.")
    wanted = ONE if found.quantity == NAME else QUANTITIES[found.quantity].unit
    written = parse_unit(found.unit) if found.unit else ONE
    if written.dimension != wanted.dimension:
        raise WrongUnit(f"{shown(name)} is a {found.quantity}, in {wanted}, but its unit is {found.unit or 'missing'}.")
    return found
