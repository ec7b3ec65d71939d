"""Datasheets of the devices in measured sets: bandwidth, peak arithmetic and bytes of a weight, as presets have them"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from ..errors import known_name
from ..presets import HardwareSource, hardware
from ..presets.device_files import read_toml
from ..quantity import of_preset
from .rows import Rows

_LETTERS = ("W", "F", "n_bytes")
_FILE = Path(__file__).parent / "machines.toml"


@dataclass(frozen=True)
class Datasheet:
    """Letters of a device with the kernels of one number format.

    Attributes:
        W: bandwidth, in bytes a second.
        F: peak arithmetic, in FLOP a second.
        n_bytes: bytes of a stored weight.
    """

    W: float
    F: float
    n_bytes: float


@cache
def _file() -> dict[str, dict[str, Any]]:
    return read_toml(_FILE.read_text(encoding="utf-8"))


def _entry(kind: str, name: str) -> Any:
    known = _file()[f"{kind}s"]
    return known[known_name(f"measured {kind}", name, known)]


def source_of(device: str) -> HardwareSource:
    """The preset of a device, or its datasheet as a machine of one's own; `UnknownName` if there is neither."""
    entry: dict[str, Any] = _entry("device", device)
    preset: str | None = entry.get("preset")
    return preset or entry


def title_of(device: str) -> str:
    """The device's title, without its maker."""
    entry: dict[str, Any] = _entry("device", device)
    title = str(entry.get("title")) if "title" in entry else hardware(entry["preset"]).title
    return title.removeprefix("NVIDIA ").removeprefix("Intel ").removeprefix("AMD ")


def bits_of(kernel: str) -> float:
    """Bits of a stored weight in a kernel's format, its share of scales included."""
    return 8 * float(of_preset("n_bytes", weights=_entry("format", kernel)["weights"]))


def format_title(kernel: str) -> str:
    """The title of a kernel's number format on pages."""
    return str(_entry("format", kernel)["title"])


def framework_title(framework: str) -> str:
    """The framework's name as its authors write it."""
    return str(_entry("framework", framework))


def classes() -> list[tuple[str, list[str]]]:
    """Title and presets of each class of devices that are alike."""
    return [(entry["title"], entry["presets"]) for entry in _file()["classes"].values()]


def formats_of(kernel: str) -> dict[str, str]:
    """The presets of a kernel's number format: what it computes in (dtype), and what it stores weights in (weights)."""
    formats = _entry("format", kernel)
    return {"dtype": formats["dtype"], "weights": formats["weights"]}


def letters_of(letters: Iterable[str], **presets: Any) -> dict[str, float]:
    """Values that presets give to letters."""
    return {letter: float(of_preset(letter, **presets)) for letter in letters}


def datasheet(device: str, kernel: str) -> Datasheet:
    """Letters that the presets give a device that runs the kernels of a number format."""
    return Datasheet(**letters_of(_LETTERS, hardware=source_of(device), **formats_of(kernel)))


def with_datasheets(rows: Rows) -> Rows:
    """Rows with W, F and n_bytes of their device and format beside them, in columns of these names."""
    pairs = rows.each("device", "format")
    sheets = {pair: datasheet(*pair) for pair in dict.fromkeys(pairs)}
    return rows.beside(**{one: numpy.array([getattr(sheets[pair], one) for pair in pairs]) for one in _LETTERS})
