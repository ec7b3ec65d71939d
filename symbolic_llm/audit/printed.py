"""Figures as they are printed, and what they allow

A printed figure stands for an interval: half a unit of its last digit to either side. "About" widens it, since zeros
at its end are then no digits; "nearly" allows only what lies below, "over" only what lies above. A percentage is the
hundredth part of its figure. A figure of which the rest was cut off instead of rounded lies in another interval, so
the two are told apart. A GB has 10^9 bytes; that it is meant to be a GiB is another reading, and told apart too.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from ..errors import InvalidValue, WrongUnit
from ..quantity import Quantity
from ..units import Unit, parse_quantity, parse_unit

LONGEST = 80


class Word(Enum):
    """A word before a figure, and what it allows."""

    EXACTLY = ""
    ABOUT = "about"
    NEARLY = "nearly"
    OVER = "over"
    LESS = "less than"
    MORE = "more than"
    AT_MOST = "at most"
    AT_LEAST = "at least"


WORDS = {word.value: word for word in Word if word.value} | {
    "~": Word.ABOUT,
    "≈": Word.ABOUT,
    "around": Word.ABOUT,
    "roughly": Word.ABOUT,
    "approximately": Word.ABOUT,
    "almost": Word.NEARLY,
    "<": Word.LESS,
    ">": Word.MORE,
    "up to": Word.AT_MOST,
}
_BOUNDS = {Word.LESS: operator.lt, Word.MORE: operator.gt, Word.AT_MOST: operator.le, Word.AT_LEAST: operator.ge}
_DECIMAL_BYTES = re.compile(r"[kKMGT](?=(B|bytes?)\b)")
_FIGURE = re.compile(r"(?P<digits>\d[\d,_]*(?:\.(?P<decimals>\d+))?)(?:[eE](?P<exponent>[+-]?\d{1,3}))?(?=$|[^\d.eE])")


@dataclass(frozen=True)
class Printed:
    """A figure as a source prints it.

    Attributes:
        text: as it stands there.
        number: in its unit.
        unit: None where none is printed.
        word: what stands before it.
        last: what one of its last digit is worth, in its unit.
        upper: the other end of "30 to 40"; None of a single figure.
        digits: how many its number has.
        behind: the unit as it stands there, or %.
    """

    text: str
    number: Fraction
    unit: Unit | None
    word: Word
    last: Fraction
    upper: Fraction | None = None
    digits: int = 0
    behind: str = ""

    def allows(self, value: Quantity) -> bool:
        """Whether a value is what is printed, rounded as its digits and its word say."""
        number = self._in_my_unit(value)
        if self.word in _BOUNDS:
            return bool(_BOUNDS[self.word](number, self.number))
        half = self.last / 2
        low, high = self.number - half, (self.number if self.upper is None else self.upper) + half
        if self.word is Word.NEARLY:
            high = self.number
        if self.word is Word.OVER:
            low, high = self.number, self.number + self.last
        return low <= number <= high

    @property
    def binary(self) -> Printed | None:
        """The figure with GB read as GiB, kB as KiB; None for a figure without such a unit, and for a bound."""
        decimal = _DECIMAL_BYTES.match(self.behind)
        if decimal is None or self.word in _BOUNDS:
            return None
        behind = f"{decimal[0].upper()}i{self.behind[1:]}"
        return replace(self, unit=parse_unit(behind), behind=behind)

    def is_cut_off(self, value: Quantity) -> bool:
        """Whether a value has the printed digits and more, which were left out and not rounded."""
        about = self.word is Word.ABOUT and "." in self.text  # whoever prints "about 3.84" means its digits
        if not (about or self.word is Word.EXACTLY) or self.upper is not None or self.allows(value):
            return False
        return self.number <= self._in_my_unit(value) < self.number + self.last

    def beside(self, value: Quantity) -> str:
        """A value to be read beside the figure: in its unit, to as many digits and at least to three."""
        digits = max(3, self.digits)
        if not self.behind:
            return value.shown(digits)
        number = self._in_my_unit(value) * (100 if self.behind == "%" else 1)
        return f"{Quantity(number).shown(digits)} {self.behind}"

    def over(self, value: Quantity) -> Fraction | None:
        """Ratio of the figure to a value; None where either is zero, and for a bound or a figure with two ends."""
        number = self._in_my_unit(value)
        if self.word in _BOUNDS or self.upper is not None or 0 in (number, self.number):
            return None
        return self.number / number

    def _in_my_unit(self, value: Quantity) -> Fraction:
        if self.unit is None:
            if not value.unit.is_count and any(base not in ("weight",) for base, _ in value.unit.exponents):
                raise WrongUnit(f"'{self.text}' has no unit, but the computed value is in {value.unit}.")
            return value.value
        for read in (self.unit, self.unit.in_bytes):
            if value.unit.accepts(read):
                return value.value * value.unit.scale / read.scale
        raise WrongUnit(f"'{self.text}' is in {self.unit.dimension}, but the computed value is in {value.unit}.")


def read_printed(text: str) -> Printed:
    """A figure with the word before it and the unit behind it; `InvalidValue` or `WrongUnit` for anything else."""
    if len(text) > LONGEST:
        raise InvalidValue(f"'{text}' is too long for a printed figure.")
    rest, word = text.strip(), Word.EXACTLY
    for begin in sorted(WORDS, key=len, reverse=True):
        if rest.lower().startswith(begin):
            rest, word = rest[len(begin) :].strip(), WORDS[begin]
            break
    share = Fraction(1, 100) if rest.endswith("%") else 1
    rest = rest.removesuffix("%").strip()
    first, to, second = (part.strip() for part in rest.partition(" to "))
    upper = None
    if to:
        upper, unit = parse_quantity(second)
        first = first if unit is None else f"{first} {second[_matched(second).end() :].strip()}"
    figure = _matched(first)
    number, unit = parse_quantity(first)
    digits, decimals = figure["digits"].replace(",", "").replace("_", ""), figure["decimals"] or ""
    last = Fraction(10) ** (int(figure["exponent"] or 0) - len(decimals))
    if word is not Word.EXACTLY and not decimals:  # zeros at the end of a figure that is no exact one are no digits
        last *= 10 ** (len(digits) - len(digits.rstrip("0"))) if digits.strip("0") else 1
    written = len(digits.replace(".", "").lstrip("0"))
    behind = first[figure.end() :].strip() if share == 1 else "%"
    if upper is not None and upper < number:
        raise InvalidValue(f"'{text}' is not a range: its end is below its start.")
    ends = None if upper is None else upper * share
    return Printed(text, number * share, unit, word, last * share, ends, written, behind)


def _matched(text: str) -> re.Match[str]:
    found = _FIGURE.match(text)
    if found is None:
        raise InvalidValue(f"'{text}' is not a printed figure; write digits and a unit, as in 'about 30 token/s'.")
    return found
