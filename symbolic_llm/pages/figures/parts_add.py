"""Two laws of a whole step beside measured ones, by batch: part by part, and the longer of two sums"""

from __future__ import annotations

import numpy

from ...measurements.steps import PARTS, WHOLE, all_steps
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

TITLE = (
    "Steps of llama.cpp on two machines with six models: predicted over measured, by batch. Bands hold eight of ten "
    "steps. Each law knows the steps of one sequence and those of the shortest context, and no datasheet."
)


def data() -> Table:  # noqa: D103
    rows = []
    steps = all_steps().of(framework="llama_cpp")
    for B in sorted({*steps["B"].tolist()}):
        some = steps.of(B=B)
        quantiles = [numpy.quantile(some[law] / some["time"], (0.1, 0.5, 0.9)) for law in (PARTS, WHOLE)]
        rows.append((int(B), *(float(one) for found in quantiles for one in found), len(some)))
    each = ("a tenth below", "median", "a tenth above")
    head = ("Batch", *(f"{law}, {of}" for law in (PARTS, WHOLE) for of in each), "steps")
    return Table(head, rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    B, *columns, _ = (table.column(place) for place in range(8))
    for colour, law, (low, median, high) in ((ONE, PARTS, columns[:3]), (TWO, WHOLE, columns[3:])):
        axes.fill_between(B, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(B, median, "o-", color=colour, markersize=4)
        at = median[-1] + 0.06 if law == PARTS else median[-1] - 0.09
        axes.text(B[-1], at, law, color=colour, ha="right")
    axes.axhline(1, color=QUIET, linewidth=0.8)
    across(axes, "batch", marks=B, log=True)
    up(axes, "predicted ÷ measured", (0.45, 1.8))
    axes.text(B[0], 1.7, "too slow ▴", color=INK)
    axes.text(B[0], 0.5, "too fast ▾", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(f"at {row[0]} sequences {row[2]:.2f} and {row[5]:.2f}" for row in (table.rows[0], table.rows[-1]))
    return (
        f"Two lines over the batch, predicted over measured, of the law part by part and of the longer of two sums: "
        f"{said}."
    )
