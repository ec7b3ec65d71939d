"""A product on each device: its time against its tokens, over the crossover of the datasheet"""

from __future__ import annotations

import numpy

from ...measurements.machines import title_of
from ...measurements.products import curves, products
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

KERNEL, SIDE = "bfloat16", 8192
TITLE = (
    f"A product of m tokens with {SIDE:,} × {SIDE:,} weights in bf16, on every device and framework measured: its time "
    "over the time of one token, against its tokens over the crossover of the datasheet. The law is the bent line."
)
_PLACES = (0.01, 0.1, 0.5, 1, 2, 10)


def data() -> Table:  # noqa: D103
    lines = []
    for (device, framework), rows in products().of(format=KERNEL, n=SIDE, k=SIDE).groups("device", "framework"):
        for some, line in curves(rows):
            lines.append((device, framework, some["m"] / some["crossover"], some["time"] / line.flat))
    shown = []
    for place in _PLACES:
        at = [float(numpy.interp(place, x, y)) for *_, x, y in lines if x[0] <= place <= x[-1]]
        shown.append((place, max(1.0, place), min(at), float(numpy.median(at)), max(at)))
    devices = sorted({title_of(device) for device, *_ in lines})
    head = ("tokens ÷ crossover", "the law", "fastest", "median", "slowest")
    return Table(head, shown, {"lines": [line[2:] for line in lines], "devices": devices})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    for x, y in table.more["lines"]:
        axes.plot(x, y, color=ONE, linewidth=0.8, alpha=0.55)
    axes.plot([0.003, 1, 120], [1, 1, 120], color=TWO, linewidth=2.2)
    axes.axvline(1, color=QUIET, linewidth=0.8, linestyle=":")
    across(axes, "tokens ÷ n_bytes·F/(2·W)", (0.003, 120), (0.01, 0.1, 1, 10, 100), log=True)
    up(axes, "time ÷ time of few tokens", (0.6, 200), (1, 10, 100), log=True)
    axes.text(0.004, 1.5, "weights are read", color=INK)
    axes.text(0.85, 0.7, "the datasheet's crossover", color=QUIET, ha="right")
    axes.text(110, 2.6, "arithmetic binds", color=INK, ha="right")
    axes.text(0.0045, 90, "measured", color=ONE)
    axes.text(0.0045, 55, "the law", color=TWO)


def alt(table: Table) -> str:  # noqa: D103
    devices, corner, far = table.more["devices"], table.rows[_PLACES.index(1)], table.rows[-1]
    return (
        f"{len(table.more['lines'])} lines of {len(devices)} devices on logarithmic axes, close together: flat for few "
        f"tokens, then straight. At the crossover of the datasheet the median takes {corner[3]:.2f} times the time of "
        f"few tokens, where the law says {corner[1]:.0f}; at {far[0]} times the crossover, {far[3]:.1f} times."
    )
