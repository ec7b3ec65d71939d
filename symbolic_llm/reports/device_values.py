"""Values that differ by kind of device, such as prices: one for all, or one for each that is named"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .. import presets
from ..errors import InvalidValue, option, shown
from ..presets.parse_value import PLAIN_NUMBER, read_option

_UNITS = {"price": "$/h", "power": "W"}  # of numbers by kind of device
_MOST = 1000  # devices that one text may name

ByDevice = Callable[[str], "Fraction | None"]


def by_device(name: str, given: object) -> ByDevice:
    """Function that gives the value for a device by its name; None where it has none.

    Args:
        name: "price" or "power".
        given: None; one value for all devices, as "2.50 $/h"; or values by name of device, as a mapping or as text like
            "h100-sxm=2.50, l40s=0.90", where numbers without a unit are dollars an hour, or watts.
    """
    if given is None:
        return lambda device: None
    if isinstance(given, str) and "=" in given:
        given = dict(_pairs(name, given))
    if not isinstance(given, Mapping):
        value = read_option(name, given)
        return lambda device: value
    return {
        presets.hardware(device).name: read_option(name, _with_unit(name, one)) for device, one in given.items()
    }.get


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    """Names and values of text like "a=1, b=2"."""
    pairs = text.split(",")
    if len(pairs) > _MOST or any(pair.count("=") != 1 for pair in pairs):
        raise InvalidValue(f"{option(name)} must be one value, or NAME=VALUE for each device with commas between them.")
    found = [(device.strip(), value.strip()) for device, value in (pair.split("=") for pair in pairs)]
    if len({device for device, _ in found}) < len(found):
        twice = next(device for device, _ in found if sum(device == other for other, _ in found) > 1)
        raise InvalidValue(f"{option(name)} of {shown(twice)} was given twice.")
    return found


def _with_unit(name: str, value: Any) -> Any:
    number = isinstance(value, int | float) or (isinstance(value, str) and PLAIN_NUMBER.fullmatch(value))
    return f"{value} {_UNITS[name]}" if number else value
