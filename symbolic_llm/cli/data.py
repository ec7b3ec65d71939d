"""`presets`"""

from __future__ import annotations

import argparse

from .. import presets
from ..render.data import presets_data
from .parsing import Output


def list_presets(_: argparse.Namespace) -> Output:
    """Every model, device and number format."""
    lines: list[str] = ["Models (--model)"]
    lines += [f"  {name:<16} {presets.model(name).title}" for name in presets.names("models")]
    lines += ["", "Hardware (--hardware)"]
    for name in presets.names("hardware"):
        device = presets.hardware(name)
        figures = ", ".join(f"{what} {figure.value}" for what, figure in device.figures.items())
        lines.append(f"  {name:<16} {device.title}: {figures}")
        lines += [f"  {'':<16} {figure.source} prints {what} {figure.value}" for what, figure in device.also]
    lines += ["", "Number formats (--dtype for arithmetic, --weights and --cache for storage)"]
    for name in presets.names("formats"):
        lines.append(f"  {name:<16} {presets.storage(name)['n_bytes']} bytes")
    return 0, "\n".join(lines), presets_data()
