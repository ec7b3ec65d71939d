"""Crossovers in every number format: where both measured lines meet, over what the datasheet says"""

from __future__ import annotations

from ...measurements.machines import bits_of, format_title, framework_title, title_of
from ...measurements.products import all_tables
from . import INK, ONE, TWO, Axes, Table, across, down

TITLE = (
    "The measured crossover over that of the datasheet, in every number format: a dot for each device and framework. "
    "On the line the law holds."
)
SIZE = (4.6, 2.7)


def data() -> Table:  # noqa: D103
    tables = sorted(all_tables(), key=lambda one: (-bits_of(one.kernel), one.kernel, one.error))
    rows = [
        (format_title(one.kernel), f"{title_of(one.device)}, {framework_title(one.framework)}", one.error + 1)
        for one in tables
    ]
    return Table(("Kernels", "device and framework", "measured ÷ datasheet"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    kernels = list(dict.fromkeys(table.column(0)))
    places = [kernels.index(kernel) for kernel in table.column(0)]
    axes.plot(table.column(2), places, "o", color=ONE, markersize=6, alpha=0.6)
    axes.axvline(1, color=TWO, linewidth=2)
    down(axes, [kernel.replace(", ", ",\n") for kernel in kernels])
    across(axes, "measured crossover ÷ datasheet's", (0.4, 30), (0.5, 1, 2, 5, 10, 20), log=True)
    half = [row for row in table.rows if row[0] == kernels[0]]
    for _, name, ratio in (min(half, key=lambda row: row[2]), max(table.rows, key=lambda row: row[2])):
        place = places[table.column(2).index(ratio)]
        axes.text(ratio, place - 0.3, name.partition(",")[0], color=INK, ha="center")
    axes.text(1.07, 0.42, "the law", color=TWO)


def alt(table: Table) -> str:  # noqa: D103
    kernels = dict.fromkeys(table.column(0))
    spans = {kernel: [row[2] for row in table.rows if row[0] == kernel] for kernel in kernels}
    said = ", ".join(f"{kernel} from {min(span):.2f} to {max(span):.2f}" for kernel, span in spans.items())
    return f"Dots in a row for each number format, of the measured crossover over the datasheet's: {said}."
