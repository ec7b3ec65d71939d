"""Crossovers: where the two measured lines of products meet, against the datasheet's n_bytes·F/(2·W)"""

from __future__ import annotations

from ...measurements.machines import framework_title, title_of
from ...measurements.products import all_tables
from ..measured_numbers import our_tables
from . import ONE, TWO, Axes, Table, across, down

KERNEL = "bfloat16"
TITLE = (
    "The crossover in bf16 on every device measured: where both lines of its products meet, against what its datasheet "
    "says. A bar spans its products from the smallest crossover to the largest; the dot is the median. The two with "
    "PyTorch we timed ourselves."
)
SIZE = (4.6, 3.9)


def data() -> Table:  # noqa: D103
    rows = []
    for one in sorted(
        [*all_tables(), *our_tables()], key=lambda table: (table.predicted, table.device, table.framework)
    ):
        if one.kernel == KERNEL:
            meeting = [curve.meeting for curve in one.curves]
            name = f"{title_of(one.device)}, {framework_title(one.framework)}"
            rows.append((name, one.predicted, min(meeting), one.measured, max(meeting)))
    return Table(("Device and kernels", "datasheet", "least", "median", "most"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    for place, (_, predicted, least, median, most) in enumerate(table.rows):
        axes.plot([least, most], [place, place], color=ONE, linewidth=2.4, alpha=0.45)
        axes.plot([median], [place], "o", color=ONE, markersize=5.5)
        axes.plot([predicted], [place], "|", color=TWO, markersize=13, markeredgewidth=2.4)
    down(axes, table.column(0), 8)
    across(axes, "tokens at the crossover", (0, max(table.column(4)) * 1.05))
    axes.plot([], [], "o-", color=ONE, label="measured")
    axes.plot([], [], "|", color=TWO, markersize=11, markeredgewidth=2.4, linestyle="none", label="datasheet")
    axes.legend(loc="upper center", bbox_to_anchor=(0.3, 1.12), ncols=2)


def alt(table: Table) -> str:  # noqa: D103
    apart = [(row[3] / row[1] - 1, row[0]) for row in table.rows]
    least, most = min(apart), max(apart)
    return (
        f"{len(table.rows)} pairs of a device and a framework. The measured crossover lies from {least[0]:+.0%} "
        f"({least[1]}) to {most[0]:+.0%} ({most[1]}) of the datasheet's; most lie close to it."
    )
