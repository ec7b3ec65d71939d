"""Share of the datasheet's bandwidth with which caches are read, on each device with each framework's kernels"""

from __future__ import annotations

from ...measurements.attention import all_readings
from ...measurements.machines import framework_title, title_of
from . import INK, ONE, QUIET, TWO, Axes, Table, across, down

KERNEL = "bfloat16"
TITLE = (
    "How fast caches in bf16 are read: the slope of attention's time against the bytes of the cache, as a share of the "
    "datasheet's bandwidth. More than the whole is impossible, so one table measures something else."
)
SIZE = (4.6, 4.4)


def data() -> Table:  # noqa: D103
    rows = [
        (f"{title_of(one.device)}, {framework_title(one.framework)}", one.W, one.fixed * 1e6, one.rows)
        for one in all_readings()
        if one.kernel == KERNEL
    ]
    return Table(("Device and kernels", "share of the bandwidth", "time of the shortest, µs", "points"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    for place, (_, share, *_) in enumerate(table.rows):
        axes.barh(place, share, 0.66, color=ONE if share <= 1 else TWO)
        axes.text(share + 0.02, place, f"{share:.2f}", va="center", color=INK, fontsize=8)
    axes.axvline(1, color=QUIET, linewidth=1)
    down(axes, table.column(0), 8)
    across(axes, "share of the datasheet's bandwidth", (0, max(table.column(1)) * 1.14))


def alt(table: Table) -> str:  # noqa: D103
    possible = [row for row in table.rows if row[1] <= 1]
    beyond = [f"{row[0]} at {row[1]:.2f}" for row in table.rows if row[1] > 1]
    return (
        f"{len(table.rows)} bars, a device and a framework each. {len(possible)} lie between {possible[-1][1]:.2f} "
        f"({possible[-1][0]}) and {possible[0][1]:.2f} ({possible[0][0]}). Impossible: {', '.join(beyond) or 'none'}."
    )
