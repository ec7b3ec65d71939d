"""Numbers with their units, as chapters calculate with them: nothing rounded before it is shown"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Union

from .api import explain, solve
from .catalogue import catalogue
from .errors import UnknownName, WrongUnit, listed
from .expressions.arithmetic import number
from .notation import LETTERS, named
from .presets import Presets, hardware
from .presets.parse_value import read_value
from .units import ONE, Unit, humanize, in_base_units, parse_quantity, parse_unit, significant

Number = Union["Quantity", int, float, Fraction]
_SEVERAL = {"token/s": "tokens/s", "sequence/s": "sequences/s"}


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, exact.

    Attributes:
        value: in the unit.
        unit: what it is a number of.
        source: how it comes about, for whoever points at it.
    """

    value: Fraction
    unit: Unit = ONE
    source: str = ""

    def shown(self, digits: int = 3, unit: str = "") -> str:
        """Text as a person would write it, to so many figures, or in a unit that is asked for ("GB", "ms")."""
        if unit:
            wanted = parse_unit(unit)
            if wanted.dimension != self.unit.dimension:
                raise WrongUnit(f"{self.shown()} cannot be shown in {unit}.")
            return f"{_figures(self.value * self.unit.scale / wanted.scale, digits)} {unit}"
        text = humanize(self.value, self.unit, digits)
        for one, several in _SEVERAL.items():
            text = text.replace(one, several) if self.value != 1 else text
        return text

    def bare(self, digits: int = 3, unit: str = "") -> str:
        """Text of the number alone, without its unit."""
        scale = parse_unit(unit).scale if unit else Fraction(1)
        return _figures(self.value * self.unit.scale / scale, digits)

    def __str__(self) -> str:
        return self.shown()

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __mul__(self, other: Number) -> Quantity:
        other = quantity(other)
        return Quantity(self.value * other.value, self.unit * other.unit)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Quantity:
        other = quantity(other)
        return Quantity(self.value / other.value, self.unit / other.unit)

    def __rtruediv__(self, other: Number) -> Quantity:
        return quantity(other) / self

    def __add__(self, other: Number) -> Quantity:
        other = quantity(other)
        if other.unit != self.unit:
            raise WrongUnit(f"{self} and {other} cannot be added.")
        return Quantity(self.value + other.value, self.unit)

    __radd__ = __add__

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit)

    def __sub__(self, other: Number) -> Quantity:
        return self + -quantity(other)

    def __rsub__(self, other: Number) -> Quantity:
        return quantity(other) - self

    def __pow__(self, power: int) -> Quantity:
        return Quantity(self.value**power, self.unit**power)

    def __lt__(self, other: Number) -> bool:
        return self.value < quantity(other).value

    def __gt__(self, other: Number) -> bool:
        return self.value > quantity(other).value

    def __floordiv__(self, other: Number) -> Quantity:
        found = self / other
        return Quantity(Fraction(found.value // 1), found.unit)


def _figures(value: Fraction, digits: int) -> str:
    """Text of a number: whole ones in full where they have few figures, others to so many."""
    rounded = Fraction(significant(value, digits))
    return f"{int(rounded):,}" if rounded.denominator == 1 else significant(value, digits, ",")


def quantity(value: Number) -> Quantity:
    """A plain number as a quantity without a unit."""
    return value if isinstance(value, Quantity) else Quantity(Fraction(value))


def about(value: Number, digits: int = 1) -> int:
    """A whole number near a value: that to so many figures, as an example is chosen."""
    return int(Fraction(significant(quantity(value).value, digits)))


def evaluated(name: str, **given: Any) -> Quantity:
    """The value of a formula for what is given, as `explain` computes it."""
    return _evaluated(name, tuple(given.items()))


@lru_cache(maxsize=2**12)  # every page is written twice, and pages ask alike
def _evaluated(name: str, given: tuple[tuple[str, Any], ...]) -> Quantity:
    asked: dict[str, Any] = {key: number(one.value) if isinstance(one, Quantity) else one for key, one in given}
    found = explain(name, **asked)
    lines = "; ".join(line.text for line in found.lines)
    return Quantity(Fraction(found.exact), found.unit, f"{found.formula.name}: {lines}")


def solved(name: str, letter: str, **given: Any) -> Quantity:
    """The value a formula asks of a letter, as `solve` finds it: `solved("latency", "B", T_step="50 ms", …)`."""
    found = solve(name, letter, **given)
    return Quantity(Fraction(found.exact), found.unit, f"{found.formula.name}, solved for {letter}")


def of_example(name: str) -> dict[str, Quantity]:
    """Values put into the worked example of a formula, by letter; `UnknownName` if it is not letters alone."""
    given, known = catalogue()[name].example, {letter.name: letter for letter in LETTERS.values()}
    if presets := given.keys() - known.keys():
        raise UnknownName(f"the example of {name} has presets besides letters: {listed(sorted(presets))}.")
    return {one: Quantity(read_value(known[one], value), known[one].unit) for one, value in given.items()}


def of_preset(letter: str, **presets: Any) -> Quantity:
    """The value that presets give a letter: `of_preset("W", hardware="m2")`."""
    found, hints = Presets(**presets).letters
    if letter not in found:
        raise UnknownName(f"{hints.get(letter, f'these presets give {letter} no value')}.")
    origin = f"{letter}: {found[letter].preset} {found[letter].figure.source}".strip()
    return Quantity(in_base_units(found[letter].figure.value), LETTERS[named(letter)].unit, origin)


def of_device(what: str, name: str) -> Quantity:
    """Figure printed of a device, for which no letter stands: `of_device("on_chip", "a100-80gb-pcie")`."""
    device = hardware(name)
    if what not in device.figures:
        raise UnknownName(f"no source states the {what} of {device.title}.")
    value, unit = parse_quantity(device.figures[what].value)
    if unit is None:
        return Quantity(value)
    return Quantity(value * unit.scale, unit.dimension, f"{what}: {name} {device.figures[what].source}")
