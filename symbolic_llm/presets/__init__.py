"""Models, hardware and number formats as cited data

`model("llama-7b")`, `hardware("a100-80gb-pcie")` and `storage("q4_0")` give the letters a preset has values for,
each value with the key of the source that prints it. Where sources disagree, `hardware("t4@techpowerup")` gives the
device as that source has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import UnknownName, unknown_name


@dataclass(frozen=True)
class Figure:
    """A value as its source prints it, in the letter's unit or with a unit of its own."""

    value: str
    source: str


@dataclass(frozen=True)
class Source:
    """Where something is printed."""

    key: str
    author: str
    title: str
    year: int
    url: str


@dataclass(frozen=True)
class Device:
    """A machine: memory `M`, bandwidth `W` and peak arithmetic by number format.

    Attributes:
        figures: "memory", "bandwidth", "on_chip" or a number format -> figure.
        also: what other sources print, as (what, figure).
    """

    name: str
    title: str
    figures: dict[str, Figure]
    also: tuple[tuple[str, Figure], ...]


@dataclass(frozen=True)
class Model:
    """A model: exact parameters, shapes, and the round figure its name stands for."""

    name: str
    title: str
    letters: dict[str, Figure]
    nominal: int
    sources: tuple[str, ...]


@cache
def _table(name: str) -> dict[str, Any]:
    import tomllib  # read only when a preset is asked for

    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def names(kind: str) -> tuple[str, ...]:
    """The names of one kind of preset: "models", "hardware", "formats" or "sources"."""
    return tuple(_table(kind))


def _entry(kind: str, what: str, name: object) -> Any:
    if not isinstance(name, str):
        raise UnknownName(f"a {what} is given by its name, such as {names(kind)[0]!r}, not as {type(name).__name__}.")
    key = name.strip().lower().replace("_", "-") if kind != "formats" else name.strip().lower()
    if key not in _table(kind):
        raise unknown_name(what, name, names(kind))
    return key, _table(kind)[key]


def source(key: str) -> Source:
    """The source that `key` stands for."""
    _, entry = _entry("sources", "source", key)
    return Source(key, **entry)


def model(name: str) -> Model:
    """The model of that name; `UnknownName` with the nearest if there is none."""
    key, entry = _entry("models", "model", name)
    sources = tuple(entry["sources"])
    shapes = ("n_blocks", "n_heads", "d_head", "d_model", "n_vocab")
    letters = {"P": Figure(str(entry["P"]), sources[-1])} | {s: Figure(str(entry[s]), sources[0]) for s in shapes}
    return Model(key, entry["title"], letters, entry["nominal"], sources)


def hardware(name: str) -> Device:
    """The device of that name, or "name@source" for the device as that source prints it."""
    base, at, asked = name.partition("@") if isinstance(name, str) else (name, "", "")
    key, entry = _entry("hardware", "hardware", base)
    printed = [(what, Figure(**entry[what])) for what in ("memory", "bandwidth", "on_chip") if what in entry]
    printed += [(what, Figure(**figure)) for what, figure in entry.get("peak", {}).items()]
    printed += [
        (what, Figure(value, other["source"]))
        for other in entry["also"]
        for what, value in other.items()
        if what != "source"
    ]
    sources = {figure.source for _, figure in printed}
    if at and asked not in sources:
        raise unknown_name("source", asked, sources, f"{key} is not cited from it: ")
    figures: dict[str, Figure] = {}
    for what, figure in sorted(printed, key=lambda one: one[1].source != asked):  # otherwise in the order of the data
        figures.setdefault(what, figure)
    also = tuple((what, figure) for what, figure in printed if figures[what] != figure)
    return Device(key, entry["title"], figures, also)


def storage(name: str) -> dict[str, str]:
    """How a number format stores numbers: `n_bytes`, and for block formats `n_bits`, `n_block`, `n_scale`."""
    _, entry = _entry("formats", "number format", name)
    return {letter: str(value) for letter, value in entry.items() if letter != "peak"}


def arithmetic(name: str) -> str:
    """The number format a machine computes in under this name; `UnknownName` for formats that only store."""
    key, entry = _entry("formats", "number format", name)
    if "peak" not in entry:
        computing = [f for f in names("formats") if "peak" in _table("formats")[f]]
        raise UnknownName(
            f"{key} is a storage format, no machine computes in it; give it as weights= or cache=, and for dtype= "
            f"one of {', '.join(computing)}."
        )
    return str(entry["peak"])
