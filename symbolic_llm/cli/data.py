"""`presets`"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from .. import presets
from ..errors import known_name
from ..reports.data import presets_data
from .parsing import Output


def list_presets(options: argparse.Namespace) -> Output:
    """Every model, device and number format, or those of one kind."""
    if options.name is not None:
        known_name("kind of preset", options.name, KINDS)
    width = max(len(name) for kind in KINDS for name in presets.names(kind))
    parts, data = [], presets_data()
    for kind, (head, lines_of) in KINDS.items():
        if options.name in (None, kind):
            lines = (line for name in presets.names(kind) for line in _aligned(name, lines_of(name), width))
            parts.append("\n".join((head, *lines)))
    return 0, "\n\n".join(parts), data if options.name is None else {options.name: data[options.name]}


def _aligned(name: str, lines: Iterator[str], width: int) -> Iterator[str]:
    """Lines on a preset, with its name before the first one."""
    for number, line in enumerate(lines):
        yield f"  {'' if number else name:<{width}} {line}"


def _model(name: str) -> Iterator[str]:
    yield presets.model(name).title


def _device(name: str) -> Iterator[str]:
    device = presets.hardware(name)
    yield f"{device.title}, matrix products on {device.multiplies_on}"
    yield from device.provenance()


def _format(name: str) -> Iterator[str]:
    taken, way = presets.storage(name)["n_bytes"], presets.way(name)
    yield f"{taken} byte{'' if taken == '1' else 's'}" + (f", {way}" if way else "")


KINDS: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "models": ("Models (--model)", _model),
    "hardware": ("Hardware (--hardware, or a file of your own: --hardware my.toml)", _device),
    "formats": ("Number formats (--dtype for arithmetic, --weights and --cache for storage)", _format),
}
