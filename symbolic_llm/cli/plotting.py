"""`plot`"""

from __future__ import annotations

import argparse
import shutil
from typing import Any

from ..errors import InvalidValue
from .parsing import Output, axis, given

_WIDTH = 100  # columns where no terminal is


def plot_one(options: argparse.Namespace) -> Output:
    """Write a picture to a file, or print it as text; a value with commas in it is several values."""
    from ..reports.drawing import checked, save
    from ..reports.plotting import plot

    if options.file is not None and "=" in options.file and options.terminal:  # a letter: no file is named
        options.file, options.arguments = None, [options.file, *options.arguments]
    if options.file is None and not options.terminal:
        raise InvalidValue("plot needs a FILE to write, or --terminal to print the picture as text.")
    _, letters, presets = given(options, 0)
    if options.file is not None:
        checked(options.file)  # before the work is done
    asked: dict[str, Any] = {name: value for name, value in presets.given().items() if value is not None}
    figure = plot(options.kind, **{name: axis(name, value) for name, value in (asked | letters).items()})
    data: dict[str, Any] = {"kind": options.kind, "file": options.file}
    said = []
    if options.terminal:
        from ..reports.terminal_plot import text

        data["text"] = text(figure, shutil.get_terminal_size((_WIDTH, 0)).columns)
        said.append(data["text"])
    if options.file is not None:
        save(figure, options.file)
        said.append(f"{options.kind} written to {options.file}")
    return 0, "\n".join(said), data
