"""A machine of one's own: a TOML file, or fields like it

    title = "Workstation"
    memory = "24 GiB"
    bandwidth = "936 GB/s"
    peak = { fp16 = "71 TFLOP/s", int8 = "284 TFLOP/s" }   # or one for any number format: peak = "71 TFLOP/s"
    source = "measured with nvbandwidth"

A table `engine` may stand beside these, which `symbolic-llm machine` writes and `measure` reads; no formula does.

Nothing in it is trusted: its size is bounded, its fields are looked up by name, every figure has to be a quantity in
the unit of what it is a figure of, and whatever is wrong is said in one sentence that names file and field.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..errors import InvalidHardware, InvalidValue, SymbolicLLMError, UnknownName, WrongUnit, known_name
from ..files import content, path_of
from ..units import BYTE, FLOP, SECOND, parse_quantity
from .device import ANY, UNNAMED, Device, Figure
from .tables import computing

_LARGEST_FILE = 2**16  # bytes; a real one has a few hundred
_LONGEST_TEXT = 200
_MOST_DOTS = 500  # in a line: to read a key takes time with the square of its parts
UNITS = {
    "memory": BYTE,
    "bandwidth": BYTE / SECOND,
    "on_chip": BYTE,
    "link": BYTE / SECOND,
    "link_latency": SECOND,
}
_EXAMPLES = {BYTE: "80 GB", BYTE / SECOND: "1935 GB/s", FLOP / SECOND: "312 TFLOP/s", SECOND: "3 us"}
# From a controller with a few kB to all the machines there are: what lies outside is a slip, whatever the machine.
_LEAST, _MOST = Fraction(10) ** 3, Fraction(10) ** 24
_SHORTEST, _LONGEST = Fraction(1, 10**12), Fraction(10)  # of a latency
_REQUIRED = ("memory", "bandwidth", "peak")
_FIELDS = ("title", *_REQUIRED, "on_chip", "link", "link_latency", "source", "engine")


def read(source: str | os.PathLike[str] | Mapping[str, Any]) -> Device:
    """The device of a file, or of fields like those of a file; `InvalidHardware` with what is wrong."""
    if isinstance(source, Mapping):
        return _device(source, "the given hardware", UNNAMED)
    path = path_of(source, InvalidHardware)
    return _device(read_fields(path), _shown(path), path if path.isprintable() else _shown(path))


def quantity(subject: str, what: str, value: object, *, bare: bool = False) -> str:
    """A figure as text that has a unit; `InvalidValue` or `WrongUnit` begins with `subject`.

    Args:
        subject: what the sentence is about.
        what: what it is a figure of; number formats are peaks.
        value: what was given.
        bare: whether a number without a unit will do, which is then in the letter's unit.
    """
    unit = UNITS.get(what, FLOP / SECOND)
    example = _EXAMPLES[unit]
    if bare and isinstance(value, int | float | Fraction | Decimal) and not isinstance(value, bool):
        value = _plain(subject, value)
    if not isinstance(value, str):
        raise InvalidValue(f"{subject} must be text with a unit, as in '{example}', not {_shown(value)}.")
    try:
        number, written = parse_quantity(value)
    except (InvalidValue, WrongUnit) as error:
        raise type(error)(f"{subject}: {error}") from None
    if written is None and not bare:
        raise WrongUnit(f"{subject} is measured in {unit}, but {_shown(value)} has no unit; write it as '{example}'.")
    read_as = written or unit
    scale = next((read.scale for read in (read_as, read_as.in_bytes) if unit.accepts(read)), None)
    if scale is None:
        raise WrongUnit(
            f"{subject} is measured in {unit}, but {_shown(value)} is in {read_as.dimension}; write it as '{example}'."
        )
    if number <= 0:
        raise InvalidValue(f"{subject} must be positive, but {_shown(value)} was given.")
    least, most = (_SHORTEST, _LONGEST) if unit == SECOND else (_LEAST, _MOST)
    if not least <= number * scale <= most:
        raise InvalidValue(f"{subject} is too large or too small: {_shown(value)}; write it as '{example}'.")
    # kept as it was written, since pages and answers repeat it as what the source prints
    line = " ".join(value.split())
    return line if written else f"{line} {unit}"


def _plain(subject: str, value: object) -> str:
    try:
        return str(value).removesuffix(".0")
    except ValueError:  # Python prints no integer of more than 4300 digits
        raise InvalidValue(f"{subject} is too large: it has thousands of digits.") from None


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML that someone gave; `ValueError` says what is wrong with it, as what follows the file's name."""
    import tomllib  # only a file needs it

    text = text.removeprefix("\ufeff")  # which some editors put before all else
    if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
        raise ValueError(f"has a line of more than {_MOST_DOTS} dots, more than any key needs")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML: {error}") from None
    except (ValueError, RecursionError):
        raise ValueError("is not TOML: it is nested too deeply or has a number of thousands of digits") from None


def toml_of(data: bytes, where: str, kind: type[SymbolicLLMError]) -> dict[str, Any]:
    """The fields of a file that someone gave; an error of that kind where it is not TOML."""
    try:
        return read_toml(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise kind(f"{where} is not TOML: it is not text.") from None
    except ValueError as error:
        raise kind(f"{where} {error}.") from None


def read_fields(path: str) -> dict[str, Any]:
    """Fields of a file; `InvalidHardware` where it cannot be read as TOML."""
    where = _shown(path)
    data = content(path, _LARGEST_FILE, InvalidHardware, "is too large for a description of a machine", where)
    return toml_of(data, where, InvalidHardware)


def _device(fields: Mapping[str, Any], where: str, name: str) -> Device:
    for field in fields:
        _known("field", field, _FIELDS, where)
    for field in _REQUIRED:
        if field not in fields:
            raise InvalidHardware(f"{where}: the field {field} is missing.")
    title = _text(fields, "title", where) or os.path.basename(name).removesuffix(".toml")
    source = _text(fields, "source", where)
    figures = {what: fields[what] for what in UNITS if what in fields}
    peak = fields["peak"]
    if isinstance(peak, Mapping):
        if not peak:
            raise InvalidHardware(f"{where}: peak lists no number format.")
        for dtype in peak:
            _known("number format for arithmetic,", dtype, computing(), f"{where}: peak")
        figures |= peak
    else:
        figures[ANY] = peak
    printed = []
    for what, value in figures.items():
        field = what if what in (*UNITS, ANY) else f"peak.{what}"
        try:
            printed.append((what, Figure(quantity(f"{where}: {field}", what, value), source)))
        except (InvalidValue, WrongUnit) as error:
            raise InvalidHardware(str(error)) from None
    return Device(name, title, tuple(printed))


def _known(kind: str, name: object, names: Collection[str], where: str) -> None:
    if not isinstance(name, str):
        raise InvalidHardware(f"{where}: a {kind.rstrip(',')} must be a name, not {_shown(name)}.")
    try:
        known_name(kind, name, names, f"{where}: ")
    except UnknownName as error:
        raise InvalidHardware(str(error)) from None


def _text(fields: Mapping[str, Any], field: str, where: str) -> str:
    """Line of text in a field, "" where it is left out; control characters are refused."""
    value = fields.get(field, "")
    if not isinstance(value, str):
        raise InvalidHardware(f"{where}: {field} must be text, not {_shown(value)}.")
    if not value.isprintable() or len(value) > _LONGEST_TEXT:
        raise InvalidHardware(f"{where}: {field} must be one line of at most {_LONGEST_TEXT} characters.")
    return value


def _shown(value: object) -> str:
    """Text of a value for a sentence, on one line and of at most 60 characters."""
    if isinstance(value, Mapping | list | tuple):
        return "a table" if isinstance(value, Mapping) else "a list"
    if isinstance(value, int) and abs(value) > 10**40:
        return "a number of more than forty digits"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
