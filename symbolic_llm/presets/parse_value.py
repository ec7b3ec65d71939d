"""Reading of the value that a user gives for a letter, as an exact number

It is a number of any numeric type, or text with a unit. Values are exact fractions; a float counts as the decimal it
prints as. Whether the unit fits and whether the letter can take such a value is checked here, once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from ..errors import InvalidValue, WrongUnit, option
from ..notation import LETTERS, Letter, named
from ..units import ONE, WEIGHT, Unit, humanize, multiplier, parse_quantity
from . import names
from .by_letter import presets_for

EXAMPLES = {
    "FLOP/second": "'312 TFLOP/s'",
    "byte/second": "'1935 GB/s'",
    "byte": "'80 GB'",
    "second": "'5 ms'",
    "dollar/second": "'2 $/h'",
    "joule/second": "'700 W'",
    "weight": "7e9",
    "byte/weight": "2",
    "byte/value": "2",
    "byte/token": "'512 kB/token'",
    "FLOP": "'14 GFLOP'",
    "token/second": "'100 token/s'",
    "dollar/token": "'2 $/Mtoken'",
    "joule/token": "'1 J/token'",
    "token/sequence": "4096",
    "token": "4096",
    "sequence": "8",
    "byte/sequence": "'128 MB/sequence'",
    "FLOP/token": "'14 GFLOP/token'",
    "FLOP/byte": "'200 FLOP/byte'",
    "second/token": "'20 µs/token'",
}
_SHARE = "0.8"
OPTIONS = {  # the letter that each stands for, and what it means where that is not what the letter means
    "context": ("N", "tokens in a sequence"),
    "batch": ("B", "sequences in one pass"),
    "prompt": ("N", "tokens in a prompt"),
    "output": ("N", "tokens in an answer"),
    "new_tokens": ("n_new", ""),
    "cached": ("N", "first tokens of a prompt that are cached"),
    "page": ("n_page", ""),
    "tpot": ("T_target", "most time for each output token"),
    "ttft": ("T_target", "most time to the first token"),
    "storage": ("W_storage", "bandwidth of the disk or network that weights are loaded from"),
    "transfer": ("W_transfer", "bandwidth of the link over which caches are handed over"),
    "host_bandwidth": ("W_host", "bandwidth of a second memory"),
    "host_flops": ("F_host", "peak arithmetic of what computes beside a second memory"),
    "host_memory": ("M", "size of a second memory"),
    "host_link": ("W_stream", "bandwidth of the link from a second memory"),
    "price": ("price", ""),
    "power": ("power", ""),
}
_EXAMPLE = "8"  # of anything else
PLAIN_NUMBER = re.compile(r"\s*[-+\d.,_e]+\s*", re.ASCII)  # without a unit, right or wrong
_LARGEST = Fraction(10) ** 99
_LONGEST = 80  # characters of a count
_SHORT = re.compile(r"(?P<number>[\d.,_]*\d)\s*(?P<prefix>[kKMGT]i?)(?P<unit>\s+\D.*)?")
NUMERIC = frozenset("biufO")  # kinds of arrays that hold numbers, by NumPy's letters
_DURATION = "m"
_LONG_EXPONENT = re.compile(r"[eE][+-]?0*\d{4}")  # 10**9999 would be computed in full, and 10**999999999 never ends


def read_value(letter: Letter, value: object) -> Fraction:
    """A user's value for a letter as an exact number in the letter's unit.

    `WrongUnit` for a unit that does not fit, `InvalidValue` for anything that is not a positive finite number, or not a
    whole one where the letter counts.
    """
    number = _with_unit(letter, value) if isinstance(value, str) else _plain(letter, value)
    if number <= 0:
        raise InvalidValue(f"{letter.name} ({letter.meaning}) must be positive, but {_shown(value)} was given.")
    if number > _LARGEST or number < 1 / _LARGEST:
        raise _out_of_proportion(letter, value)
    if letter.whole and number.denominator != 1:
        raise InvalidValue(f"{letter.name} ({letter.meaning}) must be a whole number, but {_shown(value)} was given.")
    return number


def read_option(name: str, value: object) -> Fraction:
    """A user's value for an option that stands for a letter, as an exact number; errors name the option."""
    of, meaning = OPTIONS[name]
    letter = LETTERS[named(of)]
    return read_value(replace(letter, name=option(name), meaning=meaning or letter.meaning), value)


def kind_of(value: object) -> str:
    """The letter by which NumPy tells what an array, or a number of its own, holds; "" for anything else."""
    return str(getattr(getattr(value, "dtype", None), "kind", ""))


def example_of(letter: Letter) -> str:
    """Example of a value for a letter, as a user may write it; a plain number for no unit or a rare one."""
    return _SHARE if letter.share else EXAMPLES.get(str(letter.unit), _EXAMPLE)


def _with_unit(letter: Letter, value: str) -> Fraction:
    if value.strip().lower() in names("formats"):
        options = " or ".join(option(preset, "=") for preset in presets_for(letter.name)) or option("dtype", "=")
        raise InvalidValue(
            f"{letter.name} must be a number, and {value.strip()} is a number format; give the format as {options}."
        )
    short = _shortened(letter, value)
    try:
        written = value if short is None else f"{short['number']}{short['unit'] or ''}"
        example = example_of(letter)
        and_unit = " and then a unit" if " " in example else ""
        if letter.share and written.strip().endswith("%"):
            written, times = written.strip().removesuffix("%"), Fraction(1, 100)
        else:
            times = Fraction(_times(short))
        number, unit = parse_quantity(written, f"write digits{and_unit}, as in {example}")
        number *= times
    except (InvalidValue, WrongUnit) as error:
        raise type(error)(f"{letter.name}: {error}") from None
    if unit is None:
        return number
    # bandwidths are printed in bits as well; as bits first, since n_bits is in them
    for read in (unit, unit.in_bytes):
        if letter.unit.accepts(read):
            return number * read.scale
    raise WrongUnit(
        f"{letter.name} ({letter.meaning}) is measured in {_named(letter.unit)}, but {_shown(value)} is in "
        f"{unit.dimension}; write it as {example_of(letter)}."
    )


def _shortened(letter: Letter, value: str) -> re.Match[str] | None:
    """The parts of a count that is written short, as 32k or 32Ki tokens; None for what is not, or is no count."""
    counts = letter.unit.is_count or letter.unit == WEIGHT
    return _SHORT.fullmatch(value.strip()) if counts and len(value) <= _LONGEST else None


def _times(short: re.Match[str] | None) -> int:
    if short is None:
        return 1
    factor = multiplier(short["prefix"])
    if factor is None:
        n, rest = short["number"], short["unit"] or ""
        raise InvalidValue(f"{n}K can mean 1,000 or 1,024 times {n}; write {n}k{rest} or {n}Ki{rest}.")
    return factor


def read_as(letter: Letter, value: object) -> str:
    """Remark on the number that a count written short was read as, since many write 32k for 32,768; "" for others."""
    short = _shortened(letter, value) if isinstance(value, str) else None
    if short is None or short["prefix"].endswith("i"):
        return ""
    number, prefix = short["number"], short["prefix"]
    binary = f"{prefix.upper()}i"
    plain, other = (humanize(parse_quantity(number)[0] * (multiplier(p) or 1), ONE, 12) for p in (prefix, binary))
    return f"{number}{prefix} is {plain}; {number}{binary} would be {other}"


def _named(unit: Unit) -> str:
    return "plain numbers" if str(unit) == "1" else str(unit)


def _plain(letter: Letter, value: object) -> Fraction:
    """A number of any numeric type, exactly; one with a fraction as the decimal it prints as."""
    # True is an int to Python, and a duration a whole number to NumPy
    odd = isinstance(value, bool) or kind_of(value) == _DURATION
    if odd or not isinstance(value, Real | Decimal):
        raise InvalidValue(
            f"{letter.name} ({letter.meaning}) must be a number or text with a unit, not {_shown(value)}."
        )
    if isinstance(value, Rational):  # ints, fractions, also NumPy's and SymPy's
        return Fraction(int(value.numerator), int(value.denominator))
    # 0.1 means a tenth to whoever wrote it, and not the binary fraction nearest to it
    printed = str(value)
    if _LONG_EXPONENT.search(printed):
        raise _out_of_proportion(letter, value)
    try:
        return Fraction(printed)
    except ValueError:
        raise InvalidValue(
            f"{letter.name} ({letter.meaning}) must be a finite number, but {_shown(value)} was given."
        ) from None


def _out_of_proportion(letter: Letter, value: object) -> InvalidValue:
    return InvalidValue(f"{_shown(value)} is too large or too small for {letter.name} ({letter.meaning}).")


def _shown(value: object) -> str:
    """Text of a value for a sentence, on one line and of at most 60 characters."""
    try:
        shown = " ".join(repr(value).split())
    except ValueError:  # Python prints no integer of more than 4300 digits
        shown = "a number of thousands of digits"
    return shown if len(shown) <= 60 else shown[:57] + "..."
