"""Measured time of routed experts over the law's, by tokens, with balanced and with skewed routing"""

from __future__ import annotations

import numpy

from ...measurements.experts import BALANCED, experts
from . import INK, ONE, QUIET, THREE, TWO, Axes, Table, across, up

KERNEL, SKEWED = "bfloat16", "power_law_1.2"
TITLE = (
    "Layers of routed experts in bf16: measured time over the law's, by tokens, median and eight of ten. The law "
    "expects each expert to be picked as often as any other. The broken line is what it would say if all were read."
)
_TOKENS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def data() -> Table:  # noqa: D103
    rows = []
    measured = experts().of(format=KERNEL)
    for B in _TOKENS:
        even, skewed = (measured.of(B=B, routing=routing) for routing in (BALANCED, SKEWED))
        found = [float(one) for some in (even, skewed) for one in numpy.quantile(some["ratio"], (0.1, 0.5, 0.9))]
        every = numpy.maximum(even["reading_all"], even["arithmetic"]) / even["law"]
        rows.append((B, *found, float(numpy.median(every)), len(even) + len(skewed)))
    each = ("a tenth below", "median", "a tenth above")
    head = ("Tokens", *(f"{routing}, {of}" for routing in ("balanced", "skewed") for of in each), "all read", "layers")
    return Table(head, rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    B, *columns, every, _ = (table.column(place) for place in range(9))
    for colour, routing, (low, median, high), height in (
        (ONE, "balanced", columns[:3], 13),
        (TWO, "skewed", columns[3:], 10),
    ):
        axes.fill_between(B, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(B, median, "o-", color=colour, markersize=3.5)
        axes.text(B[-1], height, f"{routing}, measured", color=colour, ha="right")
    axes.plot(B, every, color=THREE, linestyle="--")
    axes.text(B[-1], 17, "if all experts were read", color=THREE, ha="right")
    axes.axhline(1, color=QUIET, linewidth=0.8)
    across(axes, "tokens", marks=(1, 10, 100, 1000), log=True)
    up(axes, "time ÷ law", (0.5, 24), (0.5, 1, 2, 5, 10, 20), log=True)
    axes.text(B[0], 0.55, "faster than the law", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    few, some = table.rows[0], table.rows[_TOKENS.index(16)]
    return (
        f"Three lines over the tokens. For one token a layer takes {few[2]:.2f} times the law's time, where all "
        f"experts would take {few[7]:.0f} times. For {some[0]} tokens balanced routing takes {some[2]:.2f} times and "
        f"skewed routing {some[5]:.2f} times."
    )
