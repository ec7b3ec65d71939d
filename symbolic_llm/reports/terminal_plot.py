"""A picture as text, for a terminal: the curves and points of a figure, drawn with uniplot

The numbers are those of the figure that is written to a file. Each curve has a sign of its own, so that they are told
apart without colour and in any encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import installed

_POINTS = "operations"  # what the points of a figure stand for, where it has no label for them
_LEAST, _MARGIN = 30, 14  # columns: of the picture, and beside it for the numbers of its axis
_NUMBER = r"(?:10\^(?P<power>-?[\d.]+)|(?P<plain>\d[\d.]*))"
_TICK, _AT_THE_SIDE = re.compile(_NUMBER + " *"), re.compile("(?<=│ )" + _NUMBER + r"\s*$")


def text(figure: Any, width: int = 100, height: int = 20) -> str:
    """The picture of a figure as lines of text, with its title above and its legend below.

    Args:
        figure: what `plot` returns.
        width: columns of the terminal.
        height: lines of the picture.

    Raises:
        MissingDependency: without uniplot.
    """
    with installed("a plot in a terminal", "terminal"):
        from uniplot import plot_to_string
    axes = figure.axes[0]
    labelled = [line for line in axes.lines if not line.get_label().startswith("_") and len(line.get_xdata())]
    curves = labelled[::-1]  # where two meet the first is seen, which is what the others are bounds or parts of
    points = [at for one in axes.collections for at in one.get_offsets()]
    xs, ys = [line.get_xdata() for line in curves], [line.get_ydata() for line in curves]
    labels, drawn = [line.get_label() for line in curves], [line.get_linestyle() != "None" for line in curves]
    if points:
        xs, ys = [*xs, [x for x, _ in points]], [*ys, [y for _, y in points]]
        labels, drawn = [*labels, _POINTS], [*drawn, False]
    picture = plot_to_string(
        xs=xs,
        ys=ys,
        lines=drawn,
        legend_labels=labels,
        legend_placement="vertical",
        x_as_log=axes.get_xscale() == "log",
        y_as_log=axes.get_yscale() == "log",
        width=max(_LEAST, width - _MARGIN),
        height=height,
        color=False,
        character_set="ascii",
    )
    lines = [*figure.get_suptitle().splitlines(), *_labelled(picture.splitlines(), axes)]
    return "\n".join([*lines, f"across: {axes.get_xlabel()}; up: {axes.get_ylabel()}"])


def _labelled(picture: list[str], axes: Any) -> Iterator[str]:
    """Lines of a picture, with the numbers beside its axes as the figure writes them: 5.01 ms for 10^-2.3."""
    below = False
    for line in picture:
        if below:  # each stays where it begins
            yield _TICK.sub(lambda found: f"{_said(axes.xaxis, found)} ".ljust(len(found[0])), line).rstrip()
        else:
            yield _AT_THE_SIDE.sub(lambda found: _said(axes.yaxis, found), line).rstrip()
        below = line.lstrip().startswith("└")


def _said(axis: Any, tick: re.Match[str]) -> str:
    value = 10 ** float(tick["power"]) if tick["power"] else float(tick["plain"])
    return str(axis.get_major_formatter()(float(f"{value:.3g}"), None))
