"""Devices: machines by preset, by file, by fields or by letters"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from ..errors import InvalidValue, unknown_name
from .device import GIVEN, MEANT, UNNAMED, Device, Figure
from .device_files import quantity, read
from .tables import look_up_preset

HardwareSource = str | os.PathLike[str] | Mapping[str, Any] | Device


def hardware(source: HardwareSource) -> Device:
    """The device of a preset's name, of a file of one's own, or of its fields.

    "name@source" is a preset as that source prints it. A file is a path that ends in .toml, or any `os.PathLike`.
    `UnknownName` with the nearest if there is no such preset, `InvalidHardware` for a file that cannot be read as one.
    """
    if isinstance(source, Device):
        return source
    if isinstance(source, os.PathLike | Mapping) or (isinstance(source, str) and source.lower().endswith(".toml")):
        return read(source)
    return _preset(source)


def of_letters(base: HardwareSource | None = None, /, **letters: object) -> Device:
    """A machine given by its letters, or another one with some of its figures replaced by them.

    Examples:
        >>> from symbolic_llm import presets
        >>> presets.of_letters(M="24 GiB", W="1 TB/s", F="100 TFLOP/s").provenance()
        ('memory 24 GiB, bandwidth 1 TB/s, peak 100 TFLOP/s (given)',)

    Args:
        base: the machine that they go before, however it is asked for.
        **letters: `M`, `W`, `W_link`, `T_link` and `F` (for any number format), as numbers or as text with a unit.

    Raises:
        SymbolicLLMError: for other letters, other units, and what no machine has.
    """
    given: dict[str, Figure] = {}
    for letter, value in letters.items():
        what = _by_name().get(letter)
        if what is None:
            raise unknown_name("letter of a machine", letter, _by_name())
        if what in given:
            raise InvalidValue(f"{letter} was given twice, under two names.")
        given[what] = Figure(quantity(letter, what, value, bare=True), GIVEN)
    known = Device(UNNAMED, UNNAMED, ()) if base is None else hardware(base)
    return replace(known, printed=(*given.items(), *known.printed))


@cache
def _by_name() -> dict[str, str]:
    """Kind of figure that each letter of a machine stands for, by the names and other names of the letters."""
    from ..notation import LETTERS, named  # letters are SymPy's, which a list of presets does without

    return {name: what for letter, what in MEANT.items() for name in (letter, *LETTERS[named(letter)].aliases)}


def _preset(name: str) -> Device:
    """The device of that name, or "name@source" for the device as that source prints it."""
    key, row = look_up_preset("hardware", name)
    _, at, asked = name.partition("@")
    sources = row["from"]
    printed = tuple(
        (what, Figure(value, source))
        for source in sorted(sources, key=lambda one: one != asked)  # otherwise in the order of the data
        for what, value in sources[source].items()
    )
    return Device(
        key, row["title"], printed, row["multiplies_on"], key + at + asked, tuple(row.get("apart", {}).items())
    )
