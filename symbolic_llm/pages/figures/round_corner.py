"""The corner: measured time over what reading or arithmetic alone would take, against tokens over the crossover"""

from __future__ import annotations

from itertools import pairwise

import numpy

from ...measurements.corner import LONGER, SMOOTH, SUM, fitted
from ...measurements.products import all_tables, products
from . import INK, ONE, QUIET, THREE, TWO, Axes, Table, across, up

KERNEL = "bfloat16"
SIZE = (4.6, 2.7)
TITLE = (
    "How round the corner is: time over the longer of reading and arithmetic, each as fast as the device really does "
    "it, for all products in bf16. The band holds eight of ten; lines are the three ways to join two times."
)
_EDGES = numpy.geomspace(0.04, 25, 15)


def data() -> Table:  # noqa: D103
    places, ratios = [], []
    for table in all_tables():
        if table.kernel != KERNEL:
            continue
        rows = products().of(device=table.device, framework=table.framework, format=KERNEL)
        reading, arithmetic = rows["reading"] / table.W, rows["arithmetic"] / table.F
        places.append(arithmetic / reading)
        ratios.append((rows["time"] - table.fixed) / numpy.maximum(reading, arithmetic))
    place, ratio = numpy.concatenate(places), numpy.concatenate(ratios)
    power = fitted(products().of(format=KERNEL), SMOOTH, tuple(all_tables())).power
    shown = []
    for low, high in pairwise(_EDGES):
        inside = ratio[(place >= low) & (place < high)]
        middle = float((low * high) ** 0.5)
        tenths = [float(one) for one in numpy.quantile(inside, (0.1, 0.5, 0.9))]
        other = min(middle, 1 / middle)
        joined = float((1 + other**power) ** (1 / power))
        shown.append((middle, *tenths, 1.0, 1 + other, joined, len(inside)))
    head = ("arithmetic ÷ reading", "a tenth is below", "median", "a tenth is above", LONGER, SUM, SMOOTH, "products")
    return Table(head, shown, {"power": power})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    x, low, median, high, longer, total, joined, _ = (table.column(place) for place in range(8))
    axes.fill_between(x, low, high, color=ONE, alpha=0.2, linewidth=0)
    axes.plot(x, median, "o-", color=ONE, markersize=4)
    axes.plot(x, longer, color=TWO)
    axes.plot(x, total, color=THREE, linestyle="--")
    axes.plot(x, joined, color=INK, linestyle=":")
    across(axes, "time of arithmetic ÷ time of reading", (x[0], x[-1]), (0.1, 1, 10), log=True)
    up(axes, "time ÷ the longer of the two", (0.7, 2.4))
    axes.text(0.06, 2.27, "measured, median", color=ONE)
    axes.text(0.06, 2.14, LONGER, color=TWO)
    axes.text(0.06, 2.01, SUM, color=THREE)
    axes.text(0.06, 1.88, f"{SMOOTH}, power {table.more['power']:.1f}", color=INK)
    axes.axvline(1, color=QUIET, linewidth=0.8, linestyle=":")


def alt(table: Table) -> str:  # noqa: D103
    at = max(table.rows, key=lambda row: row[2])
    return (
        f"A hump: where reading and arithmetic take alike, products take up to {at[2]:.2f} times the longer of the two "
        f"(median), the sum would be {max(table.column(5)):.2f} times it, and a smooth maximum of power "
        f"{table.more['power']:.1f} lies along the measured median. Far from there all agree."
    )
