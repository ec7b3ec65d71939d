"""Look of pictures: colours, scales, ticks, and the formats they are written in"""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from ..errors import InvalidValue, installed, shown
from ..files import to_write, writing

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
PALE, INK = "#a6cee3", "#222222"
MARKERS = "osD^vP*X<>hd"
STYLE: Any = {
    "svg.hashsalt": "symbolic_llm",  # so that the same picture is the same file
    "figure.dpi": 150,
    "savefig.dpi": 150,
    "font.family": "DejaVu Sans",  # which matplotlib brings
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
_FORMATS: dict[str, dict[str, None]] = {  # by the end of a file's name; what would tell when it was written
    ".pdf": {"CreationDate": None},
    ".png": {},
    ".svg": {"Date": None},
}


def library() -> tuple[Any, Any]:
    """Matplotlib and its figures; `MissingDependency` where it is not installed."""
    with installed("a plot", "plot"):
        import matplotlib
        from matplotlib.figure import Figure
    return matplotlib, Figure


def log_scale(axes: Any, which: str, values: Any, said: Callable[[float], str]) -> None:
    """Make an axis logarithmic, with ticks between the powers of ten where there are few of them."""
    between = {10: (1, 1.5, 2, 3, 4, 5, 7), 1000: (1, 2, 5)}
    width = values.max() / values.min()
    _scale(axes, which, 10, next((ticks for most, ticks in between.items() if width < most), (1,)), said)


def batch_scale(axes: Any, which: str) -> None:
    """Make an axis logarithmic, with ticks at powers of two."""
    _scale(axes, which, 2, (1,), lambda value: f"{value:,g}")


def _scale(axes: Any, which: str, base: int, ticks: tuple[float, ...], said: Callable[[float], str]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    getattr(axes, f"set_{which}scale")("log", base=base)
    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(LogLocator(base=base, subs=ticks, numticks=16))
    axis.set_major_formatter(FuncFormatter(lambda value, _: said(value)))
    axis.set_minor_locator(NullLocator())


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a picture as PDF, PNG or SVG, whichever its name ends in; the same picture gives the same file.

    Args:
        figure: what `plot` returns.
        path: the file, which is replaced.

    Raises:
        InvalidValue: for another ending, or where the file cannot be written.
    """
    import matplotlib

    ending = checked(path)
    written = BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(written, format=ending[1:], metadata=_FORMATS[ending])
    with writing(path, "wb") as file:
        file.write(written.getvalue())


def checked(path: str | os.PathLike[str]) -> str:
    """Ending of a picture's name; `InvalidValue` for an unknown format, or a path that no file can be written to."""
    ending = Path(to_write(path)).suffix.lower()
    if ending not in _FORMATS:
        raise InvalidValue(f"the name of a picture must end in .pdf, .png or .svg, but {shown(path)} was given.")
    return ending
