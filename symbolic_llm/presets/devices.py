"""Devices: machines by preset, by file, by fields or by letters"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Union

from ..errors import InvalidValue, unknown_name
from ..units import parse_quantity
from .tables import look_up, names

FAR = Fraction(11, 10)  # two sources that are further apart than this do not print the same figure rounded
ANY = "peak"  # the name of a peak that holds whatever the number format
UNNAMED = "your machine"
GIVEN = "given"  # the source of what letters say
_MEANT = {"M": "memory", "W": "bandwidth", "W_link": "link", "T_link": "link_latency", "F": ANY}
_OTHERWISE = "symbolic-llm presets lists the known ones; a file that ends in .toml describes your own"

HardwareSource = Union[str, os.PathLike[str], Mapping[str, Any], "Device"]


@dataclass(frozen=True)
class Figure:
    """A value as its source prints it, in the letter's unit or with a unit of its own."""

    value: str
    source: str

    def agrees(self, other: Figure) -> bool:
        """Whether both print the same quantity, in whatever unit."""
        return self.over(other) == 1

    def is_far_from(self, other: Figure) -> bool:
        """Whether the two are further apart than rounding and GB for GiB explain."""
        return not 1 / FAR <= self.over(other) <= FAR

    def over(self, other: Figure) -> Fraction:
        """Ratio of this figure to the other one."""
        return _scaled(self.value) / _scaled(other.value)


@dataclass(frozen=True)
class Device:
    """A machine: memory `M`, bandwidth `W` and peak arithmetic by number format.

    Attributes:
        name: a preset's name, or the path of its file.
        title: what it is called.
        printed: everything that is printed of it, as (what, figure): "memory", "bandwidth", "on_chip", "link" (one way
            to another device), "link_latency", a number format, or "peak" for one that holds whatever the format. Of
            two figures for the same, the first one counts.
        multiplies_on: what computes its matrix products: "tensor cores", "GPU cores"; "" where nobody said.
        asked: how it was asked for, where not by its name: "t4@techpowerup".
        apart: what divides sources that print figures far from each other, as (what, why).
    """

    name: str
    title: str
    printed: tuple[tuple[str, Figure], ...]
    multiplies_on: str = ""
    asked: str = ""
    apart: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.asked or self.name

    @property
    def figures(self) -> dict[str, Figure]:
        """Figures that count, by what they are figures of: memory first, number formats last."""
        # reversed, since of two figures for the same the first one counts, and a dict keeps the last
        counting = dict(reversed(self.printed))
        order = ("memory", "bandwidth", "on_chip", "link", "link_latency", ANY, *names("formats"))
        return {what: counting[what] for what in dict.fromkeys((*order, *counting)) if what in counting}

    @property
    def also(self) -> tuple[tuple[str, Figure], ...]:
        """Figures that other sources print and that differ from those that count, as (what, figure)."""
        counting = self.figures
        return tuple((what, figure) for what, figure in self.printed if not figure.agrees(counting[what]))

    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the figures that count, each once."""
        return tuple(dict.fromkeys(figure.source for figure in self.figures.values() if figure.source))

    def peak(self, computed_in: str | None) -> str | None:
        """The name of the peak for arithmetic in a format: the format's own, or the one that holds for any."""
        figures = self.figures
        return next((what for what in (ANY, computed_in) if what in figures), None)

    def provenance(self, *asked: str) -> tuple[str, ...]:
        """Lines on its sources: for each that counts, for each that prints another figure, for each cause of a far one.

        They are of all figures, or only of those that are asked for.

        Examples:
            >>> from symbolic_llm import presets
            >>> presets.hardware("t4").provenance("bandwidth", "fp16")
            ('bandwidth 300 GB/s, fp16 65 TFLOP/s (baseten-2023)', 'techpowerup states bandwidth 320 GB/s')
        """
        shown = [(what, figure) for what, figure in self.figures.items() if not asked or what in asked]
        others = [(what, figure) for what, figure in self.also if not asked or what in asked]
        return (
            *(f"{values} ({source})" if source else values for source, values in _by_source(shown)),
            *(f"{source} states {values}" for source, values in _by_source(others)),
            *(f"{what}: {why}" for what, why in self.apart if not asked or what in asked),
        )

    @property
    def letters(self) -> dict[str, str]:
        """The letters that were given for it: {"W": "1 TB/s"}."""
        figures = self.figures
        return {
            letter: figures[what].value
            for letter, what in _MEANT.items()
            if what in figures and figures[what].source == GIVEN
        }

    def options(self, computed_in: str | None) -> tuple[str, dict[str, str]]:
        """Arguments of a command for this device: the name for --hardware, or "", and the letters beside it."""
        if self.name != UNNAMED:
            return str(self), self.letters
        figures, peak = self.figures, self.peak(computed_in)
        found = {letter: peak if what == ANY else what for letter, what in _MEANT.items()}
        return "", {letter: figures[what].value for letter, what in found.items() if what in figures}


def hardware(source: HardwareSource) -> Device:
    """The device of a preset's name, of a file of one's own, or of its fields.

    "name@source" is a preset as that source prints it. A file is a path that ends in .toml, or any `os.PathLike`.
    `UnknownName` with the nearest if there is no such preset, `InvalidHardware` for a file that cannot be read as one.
    """
    if isinstance(source, Device):
        return source
    if isinstance(source, os.PathLike | Mapping) or (isinstance(source, str) and source.lower().endswith(".toml")):
        from .device_files import read

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
    from .device_files import quantity

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

    return {name: what for letter, what in _MEANT.items() for name in (letter, *LETTERS[named(letter)].aliases)}


def _preset(name: str) -> Device:
    """The device of that name, or "name@source" for the device as that source prints it."""
    base, at, asked = name.partition("@") if isinstance(name, str) else (name, "", "")
    key, row = look_up("hardware", "hardware", base, _OTHERWISE)
    sources = row["from"]
    if at and asked not in sources:
        raise unknown_name("source", asked, sources, f"{key} has no figures from this source: ")
    printed = tuple(
        (what, Figure(value, source))
        for source in sorted(sources, key=lambda one: one != asked)  # otherwise in the order of the data
        for what, value in sources[source].items()
    )
    return Device(
        key, row["title"], printed, row["multiplies_on"], key + at + asked, tuple(row.get("apart", {}).items())
    )


def _by_source(printed: Iterable[tuple[str, Figure]]) -> Iterable[tuple[str, str]]:
    """Each source with what it prints, in one line."""
    values: dict[str, list[str]] = {}
    for what, figure in printed:
        values.setdefault(figure.source, []).append(f"{what} {figure.value}")
    return ((source, ", ".join(lines)) for source, lines in values.items())


@lru_cache(maxsize=2**10)
def _scaled(text: str) -> Fraction:
    number, unit = parse_quantity(text)
    return number * unit.scale if unit else number
