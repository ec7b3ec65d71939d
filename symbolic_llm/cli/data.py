"""`presets`"""

from __future__ import annotations

import argparse

from .. import presets
from ..render.data import presets_data
from .parsing import Output


def list_presets(_: argparse.Namespace) -> Output:
    """Every model, device and number format."""
    width = max(len(name) for kind in ("models", "hardware", "formats") for name in presets.names(kind))
    lines: list[str] = ["Models (--model)"]
    lines += [f"  {name:<{width}} {presets.model(name).title}" for name in presets.names("models")]
    lines += ["", "Hardware (--hardware, or a file of your own: --hardware my.toml)"]
    for name in presets.names("hardware"):
        device = presets.hardware(name)
        lines.append(f"  {name:<{width}} {device.title}, matrices on {device.multiplies_on}")
        lines += [f"  {'':<{width}} {line}" for line in device.provenance()]
    lines += ["", "Number formats (--dtype for arithmetic, --weights and --cache for storage)"]
    for name in presets.names("formats"):
        way = f", {presets.way(name)}" if presets.way(name) else ""
        lines.append(f"  {name:<{width}} {presets.storage(name)['n_bytes']} bytes{way}")
    return 0, "\n".join(lines), presets_data()
