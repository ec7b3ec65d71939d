"""Picture of measured steps: the bound, the forecast and the times against the batch, with the crossovers"""

from __future__ import annotations

from typing import Any

import numpy

from ..reports.drawing import COLOURS, INK, PALE, STYLE, batch_scale, library, log_scale
from ..units import SECOND, humanize
from .forecast import along
from .step_times import StepTimes, title

_POINTS = 64  # of a line


def picture(found: StepTimes) -> Any:
    """Figure of matplotlib with all that was forecast and measured.

    Raises:
        MissingDependency: without matplotlib.
    """
    matplotlib, figures = library()
    first, last = found.forecast.batches[0], found.forecast.batches[-1]
    # more than were run, so that lines bend where they do
    predicted = along(found.forecast, sorted({*map(int, numpy.geomspace(first, last, _POINTS).round())}))
    with matplotlib.rc_context(STYLE):
        figure = figures(figsize=(7, 5), layout="constrained")
        axes = figure.subplots()
        axes.plot(found.forecast.batches, found.times, "o", color=INK, label="measured (best)", zorder=3)
        for times, label, colour, line, width in (
            (predicted.expected, "forecast: fixed time, matrices and attention of the engine", COLOURS[1], "-", 1.6),
            (predicted.parts, "part by part, as fast as the machine", COLOURS[0], "--", 1.2),
            (predicted.bound, "bound: the longer of reading and arithmetic", PALE, "-", 5),
        ):
            axes.plot(
                predicted.batches, times, line, color=colour, linewidth=width, label=label, zorder=2 if width < 5 else 1
            )
        if found.earlier is not None:
            then = sorted(found.earlier.times.items())
            label = f"then: {found.earlier.name} on {found.earlier.title}"
            axes.plot(*zip(*then, strict=True), "x", color=COLOURS[2], label=label, zorder=3)
        met = found.lines.meeting if found.lines is not None else None
        for at, label, colour, side in (  # each on a side of its own, since they may well meet
            (met, "crossover, measured", INK, "right"),
            (predicted.crossover, "crossover, forecast", COLOURS[1], "left"),
            (predicted.bound_crossover, "crossover of the bound", COLOURS[0], "left"),
        ):
            if at is not None and first <= at <= last:
                axes.axvline(at, color=colour, linestyle=":", linewidth=0.9, label="_")
                where: Any = {"xycoords": ("data", "axes fraction"), "rotation": 90, "va": "top", "ha": side}
                axes.annotate(f"{label}: {at:.3g} ", (at, 1), color=colour, fontsize=7, **where)
        batch_scale(axes, "x")
        every = numpy.concatenate([found.times, predicted.expected, predicted.parts, predicted.bound])
        log_scale(axes, "y", every, lambda y: humanize(y, SECOND))
        axes.set(xlabel="batch (sequences)", ylabel="time of a decoding step (s)")
        figure.suptitle(f"{title(predicted)}\n{predicted.title}", x=0.01, ha="left", fontsize=10)
        figure.legend(loc="outside lower left")
    return figure
