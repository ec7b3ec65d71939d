"""Units: what a number counts, with exact scales

A unit is a product of powers of base units (byte, FLOP, second, token, …) and an exact scale, so that GB and GiB,
or ms and s, never meet without their factor. Words that only say what is counted (token, sequence, weight, …)
are base units like the others: they are what tells a byte per token from a byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from .errors import InvalidValue, WrongUnit

# In the order in which they are written: what is measured first, what it is counted by after it.
BASES = ("FLOP", "byte", "bit", "dollar", "joule", "weight", "value", "token", "sequence", "block", "second")
PHYSICAL = frozenset({"FLOP", "byte", "bit", "dollar", "joule", "second"})

Exponents = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Unit:
    """A product of powers of base units times an exact scale; units multiply, divide and take powers.

    Examples:
        >>> print(BYTE / TOKEN, (BYTE / TOKEN) * (TOKEN / SEQUENCE))
        byte/token byte/sequence
    """

    exponents: Exponents = ()
    scale: Fraction = Fraction(1)

    def __mul__(self, other: Unit) -> Unit:
        powers = dict(self.exponents)
        for base, power in other.exponents:
            powers[base] = powers.get(base, 0) + power
        kept = tuple((base, powers[base]) for base in BASES if powers.get(base))
        return Unit(kept, self.scale * other.scale)

    def __pow__(self, power: int) -> Unit:
        if power == 0:
            return Unit()
        return Unit(tuple((base, p * power) for base, p in self.exponents), self.scale**power)

    def __truediv__(self, other: Unit) -> Unit:
        return self * other**-1

    def __str__(self) -> str:
        over = [_power(base, p) for base, p in self.exponents if p > 0]
        under = [_power(base, -p) for base, p in self.exponents if p < 0]
        text = "·".join(over) or "1"
        if under:
            text += "/" + (under[0] if len(under) == 1 else f"({'·'.join(under)})")
        return text if self.scale == 1 else f"{self.scale}·{text}"

    @property
    def dimension(self) -> Unit:
        """Unit without its scale."""
        return Unit(self.exponents)

    @property
    def is_count(self) -> bool:
        """Whether it only names what is counted: tokens, sequences, blocks, but nothing physical and no weights."""
        return not ({base for base, _ in self.exponents} & (PHYSICAL | {"weight", "value"}))

    def accepts(self, other: Unit) -> bool:
        """Whether a quantity written in `other` may stand for one in this unit.

        What is physical (FLOP, byte, bit, second) must agree; words that only name what is counted may be left out
        (`n_bytes="2 byte"`, `N="4096 tokens"`), but not replaced by others.
        """
        mine, theirs = dict(self.exponents), dict(other.exponents)
        # what is physical has to agree even if left out; a word that only counts may be missing, but not another
        return all(mine.get(base, 0) == theirs.get(base, 0) for base in PHYSICAL) and all(
            mine.get(base, 0) == power for base, power in theirs.items()
        )

    @property
    def in_bytes(self) -> Unit:
        """Unit with bits written as bytes, eight to each."""
        bits = dict(self.exponents).get("bit", 0)
        return self * (BYTE / BIT) ** bits * Unit(scale=Fraction(1, 8) ** bits)


def _power(base: str, power: int) -> str:
    return base if power == 1 else base + str(power).translate(_SUPERSCRIPTS)


ONE = Unit()
FLOP, BYTE, BIT, DOLLAR, JOULE, WEIGHT, VALUE, TOKEN, SEQUENCE, BLOCK, SECOND = (Unit(((base, 1),)) for base in BASES)
_HOUR, _DAY = (Unit(SECOND.exponents, Fraction(seconds)) for seconds in (3600, 86_400))
WATT = JOULE / SECOND

_WORDS: dict[str, Unit] = {}
for _unit, _names in (
    (FLOP, "FLOP FLOPs flop flops OP OPs op ops"),
    (FLOP / SECOND, "FLOPS OPS"),
    (BYTE, "B byte bytes"),
    (BIT, "bit bits"),
    (WEIGHT, "weight weights parameter parameters param params"),
    (VALUE, "value values"),
    (TOKEN, "token tokens tok"),
    (SEQUENCE, "sequence sequences seq"),
    (BLOCK, "block blocks"),
    (SECOND, "s sec second seconds"),
    (_HOUR, "h hour hours"),
    (_DAY, "day days"),
    (DOLLAR, "$ USD dollar dollars"),
    (JOULE, "J joule joules"),
    (WATT, "W watt watts"),
    (WATT * _HOUR, "Wh"),
):
    _WORDS |= dict.fromkeys(_names.split(), _unit)

_DECIMAL = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9}  # the micro sign and the Greek letter
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
_PREFIXABLE = frozenset({FLOP, FLOP / SECOND, BYTE, BIT, WEIGHT, TOKEN, SEQUENCE, JOULE, WATT, WATT * _HOUR})

_NUMBER = re.compile(
    r"""[+-]?(?:(?P<over>\d+)/(?P<under>\d+)                       # 9/16, as this package prints it
        | (?:\d{1,3}(?:,\d{3})+ | \d[\d_]*)(?:\.\d*)? | \.\d+)     # 6,738,415,616 too, but not 1,5
        (?:[eE](?P<exponent>[+-]?\d+))?
        (?=$|[\s*·$A-Za-zµμ])(?!\s*\d|[eE]\b|[xX]\d)""",
    re.VERBOSE,
)
_HOW = "write digits and then a unit, as in '312 TFLOP/s'"
_LARGEST_EXPONENT = 99
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)\b", re.IGNORECASE)
_FACTOR = re.compile(r"([A-Za-zµμ]+|\$)(?:\^?([1-9²³⁴⁵⁶⁷⁸⁹]))?")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST = 80


def _word(word: str) -> Unit | None:
    """The unit one word stands for: a name, with or without a prefix."""
    if word in _WORDS:
        return _WORDS[word]
    for prefixes, base in ((_BINARY, 2), (_DECIMAL, 10), (_SMALL, 10)):
        for prefix, power in prefixes.items():
            unit = _WORDS.get(word.removeprefix(prefix)) if word.startswith(prefix) else None
            # small prefixes for seconds only: nobody has milli-bytes, and m before another word would be a slip for M
            if unit is None or (unit != SECOND if prefixes is _SMALL else unit not in _PREFIXABLE):
                continue
            return Unit(unit.exponents, unit.scale * Fraction(base) ** power)
    return None


def multiplier(prefix: str) -> int | None:
    """Factor of a prefix alone, where it can only mean one thing; K is 1,000 to some and 1,024 to others.

    >>> multiplier("k"), multiplier("Ki"), multiplier("K")
    (1000, 1024, None)
    """
    if prefix in _BINARY:
        return int(2 ** _BINARY[prefix])
    return int(10 ** _DECIMAL[prefix]) if prefix in _DECIMAL and prefix != "K" else None


def parse_unit(text: str) -> Unit:
    """The unit that `text` names, such as "TFLOP/s", "GiB" or "FLOP·sequence/token²"; `WrongUnit` if it names none.

    What stands after a stroke is divided by, all of it; parentheses may stand around it.
    """
    # a/b/c is a over b over c, and in a/b·c the c is below: a product after a stroke is read as one
    over, *under = text.strip().split("/")
    unit = _product(over, text) if over.strip() not in ("", "1") else ONE
    for part in under:
        unit = unit / _product(part, text)
    return unit


def _product(text: str, whole: str) -> Unit:
    """The product of the units that `text` names, each with its power."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    unit = ONE
    for factor in re.split(r"\s*[*·⋅]\s*|\s+", inner.strip()):
        match = _FACTOR.fullmatch(factor)
        found = _word(match[1]) if match else None
        if match is None or found is None:
            raise _no_unit(factor, whole)
        unit = unit * found ** int((match[2] or "1").translate(_DIGITS))
    return unit


def _no_unit(factor: str, whole: str) -> WrongUnit:
    if factor in _DECIMAL | _SMALL | _BINARY:
        return WrongUnit(f"{factor!r} alone is a prefix, not a unit; add the unit, as in '{factor}B'.")
    return WrongUnit(
        f"{_clip(factor or whole.strip())!r} is not a known unit; known are FLOP, byte, bit, token, "
        "sequence, weight, second, hour, $, joule and watt, with prefixes as in GB, GiB, TFLOP/s, ms or kW."
    )


@lru_cache(maxsize=2**10)  # a report reads the figures of its machine for every row
def parse_quantity(text: str, how: str = _HOW) -> tuple[Fraction, Unit | None]:
    """An exact number and the unit written after it, or None where only a number stands.

    The text is matched, never evaluated. `InvalidValue` for no finite number, `WrongUnit` for a unit that is none.

    >>> parse_quantity("312 TFLOP/s")[0], str(parse_quantity("312 TFLOP/s")[1].dimension)
    (Fraction(312, 1), 'FLOP/second')
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:  # before the match, whose time grows with the text
        raise InvalidValue(f"{_clip(stripped)!r} is too long for a number with a unit.")
    if _NOT_FINITE.match(stripped):
        raise InvalidValue(f"{stripped!r} is not a finite number.")
    match = _NUMBER.match(stripped)
    if not match:
        raise InvalidValue(f"{stripped!r} is not a number; {how}.")
    if abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        raise InvalidValue(f"{stripped!r} is too large or too small for any quantity.")
    if match["under"] and int(match["under"]) == 0:
        raise InvalidValue(f"{stripped!r} divides by zero.")
    number = Fraction(match.group().replace("_", "").replace(",", ""))
    rest = stripped[match.end() :].strip()
    return number, parse_unit(rest) if rest else None


@lru_cache(maxsize=2**10)
def in_base_units(text: str) -> Fraction:
    """A number that is written with its unit, in base units; one without a unit as it is."""
    number, unit = parse_quantity(text)
    return number * unit.scale if unit else number


def _clip(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


# What people count in other units than the base ones: prices by the hour, costs by the million tokens.
_SAID = {
    DOLLAR / SECOND: (Fraction(3600), "$/h"),
    DOLLAR / TOKEN: (Fraction(10**6), "$ per million tokens"),
    JOULE / TOKEN: (Fraction(1), "J/token"),
    WATT: (Fraction(1), "W"),
}
_STEPS = ((18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""))
_STEPS_OF_A_SECOND = ((0, ""), (-3, "m"), (-6, "µ"), (-9, "n"))


def as_said(unit: Unit) -> tuple[Fraction, str] | None:
    """Factor and name of another unit in which people say this one; None if they say it as it is.

    >>> as_said(DOLLAR / TOKEN)
    (Fraction(1000000, 1), '$ per million tokens')
    """
    return _SAID.get(unit)


def humanize(value: Fraction | float, unit: Unit, digits: int = 4) -> str:
    """A number with its unit as a person would write it.

    >>> humanize(312e12, FLOP / SECOND), humanize(Fraction(7, 300), SECOND), humanize(161.2403, SEQUENCE)
    ('312 TFLOP/s', '23.33 ms', '161.2 sequences')
    """
    if said_so := as_said(unit):
        times, said = said_so
        return f"{_plain(Fraction(value) * times, digits)} {said}"
    powers = dict(unit.exponents)
    first = next((base for base, p in unit.exponents if p > 0), "")
    text = str(unit).replace("second", "s").replace("byte", "B")
    number = Fraction(value)
    if unit == SECOND and 0 < number < 1:
        power, prefix = next(s for s in _STEPS_OF_A_SECOND if number >= Fraction(10) ** s[0] or s[0] == -9)
    elif powers.get(first) == 1 and first in ("FLOP", "byte") and number >= 1000:
        power, prefix = next(s for s in _STEPS if number >= 10 ** s[0])
    else:
        power, prefix = 0, ""
    figure = significant(number / Fraction(10) ** power, digits, ",") if power else _plain(number, digits)
    if unit == ONE:
        return figure
    if len(powers) == 1 and powers.get(first) == 1 and not prefix and first not in PHYSICAL and number != 1:
        text += "s"
    return f"{figure} {prefix}{text}"


def significant(value: Fraction, digits: int, grouping: str = "") -> str:
    """A number to so many significant figures, of any size.

    >>> significant(Fraction(1, 3), 4), significant(Fraction(10) ** 400, 4)
    ('0.3333', '1e+400')
    """
    try:
        number = float(value)
    except OverflowError:
        number = 0.0
    if number or not value:
        return f"{number:{grouping}.{digits}g}"
    return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():.{digits}g}"  # too much for a float


def _plain(value: Fraction, digits: int) -> str:
    """Text of a number: whole ones in full, small ones to `digits` figures, very large ones with an exponent."""
    if value.denominator == 1 and abs(value) < 10**15:
        return f"{int(value):,}"
    if 1 <= abs(value) < 10**6:
        return f"{float(value):,.{max(0, digits - len(str(int(abs(value)))))}f}"
    return significant(value, digits)
