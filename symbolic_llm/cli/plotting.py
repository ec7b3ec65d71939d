"""`plot`"""

from __future__ import annotations

import argparse
from typing import Any

from .parsing import Output, axis, given


def plot_one(options: argparse.Namespace) -> Output:
    """Write a picture to a file; a value with commas in it is several values."""
    from ..reports.drawing import checked, save
    from ..reports.plotting import plot

    _, letters, presets = given(options, 0)
    checked(options.file)  # before the work is done
    asked: dict[str, Any] = {name: value for name, value in presets.given().items() if value is not None}
    save(plot(options.kind, **{name: axis(name, value) for name, value in (asked | letters).items()}), options.file)
    return 0, f"{options.kind} written to {options.file}", {"kind": options.kind, "file": options.file}
