"""Values that differ by kind of device, such as prices: one for all, or one for each that is named"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .. import presets
from ..errors import InvalidValue, shown
from ..presets.parse_value import PLAIN_NUMBER, read_option

_UNITS = {"price": "$/h", "power": "W"}  # of numbers by kind of device
_MOST = 1000  # devices that one text may name

ByDevice = Callable[[str], "Fraction | None"]


def by_device(option: str, given: object) -> ByDevice:
    """Function that gives the value for a device by its name; None where it has none.

    Args:
        option: "price" or "power".
        given: None; one value for all devices, as "2.50 $/h"; or values by name of device, as a mapping or as text like
            "h100-sxm=2.50, l40s=0.90", where numbers without a unit are dollars an hour, or watts.
    """
    if given is None:
        return lambda name: None
    if isinstance(given, str) and "=" in given:
        given = dict(_pairs(option, given))
    if not isinstance(given, Mapping):
        value = read_option(option, given)
        return lambda name: value
    return {
        presets.hardware(name).name: read_option(option, _with_unit(option, one)) for name, one in given.items()
    }.get


def _pairs(option: str, text: str) -> list[tuple[str, str]]:
    """Names and values of text like "a=1, b=2"."""
    pairs = text.split(",")
    if len(pairs) > _MOST or any(pair.count("=") != 1 for pair in pairs):
        raise InvalidValue(f"{option} must be one value, or NAME=VALUE for each device with commas between them.")
    found = [(name.strip(), value.strip()) for name, value in (pair.split("=") for pair in pairs)]
    if len({name for name, _ in found}) < len(found):
        twice = next(name for name, _ in found if sum(name == other for other, _ in found) > 1)
        raise InvalidValue(f"{option} of {shown(twice)} was given twice.")
    return found


def _with_unit(option: str, value: Any) -> Any:
    number = isinstance(value, int | float) or (isinstance(value, str) and PLAIN_NUMBER.fullmatch(value))
    return f"{value} {_UNITS[option]}" if number else value
