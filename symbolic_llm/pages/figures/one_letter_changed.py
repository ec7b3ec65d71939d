"""Two cards of one arithmetic and unlike bandwidths: the time of a product against its tokens"""

from __future__ import annotations

from ...measurements.machines import title_of
from ...measurements.products import curves
from ..measured_numbers import TWO as CARDS
from ..measured_numbers import our_products
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

WHAT, KERNEL = "gate_up", "bfloat16"
TITLE = (
    "One product of Llama-3-8B in bf16 on two cards whose arithmetic is the same and whose bandwidth is not. Dots are "
    "measured; lines are flat and straight through them. Where they meet moves to the left."
)


def data() -> Table:  # noqa: D103
    lines = {}
    for card in CARDS:
        ((some, line),) = curves(our_products().of(device=card, what=WHAT, format=KERNEL))
        lines[title_of(card)] = (some["m"].tolist(), some["time"].tolist(), line, float(some["crossover"][0]))
    (one, first), (other, second) = lines.items()
    rows = [(int(m), a * 1e6, b * 1e6) for m, a, b in zip(first[0], first[1], second[1], strict=True)]
    return Table(("Tokens", f"{one}, µs", f"{other}, µs"), rows, {"lines": lines})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    labels = zip((ONE, TWO), (1200, 700), table.more["lines"].items(), strict=True)
    for colour, height, (title, (m, time, line, predicted)) in labels:
        axes.plot(m, [1e6 * one for one in time], "o", color=colour, markersize=4)
        meeting, flat = line.meeting, 1e6 * line.flat
        axes.plot([1, meeting, 4096], [flat, flat, flat * 4096 / meeting], color=colour, linewidth=1.2)
        axes.plot([meeting], [flat], "v", color=colour, markersize=8)
        axes.text(1, height, f"{title}:\n{meeting:.0f} tokens, datasheet {predicted:.0f}", color=colour, va="center")
    across(axes, "tokens", (0.9, 5000), (1, 10, 100, 1000), log=True)
    up(axes, "time, µs", marks=(50, 100, 200, 500, 1000), log=True)
    axes.text(4500, 52, "more bandwidth", color=QUIET, ha="right")
    axes.text(4500, 105, "the same arithmetic", color=INK, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    (one, (*_, first, before)), (other, (*_, second, after)) = table.more["lines"].items()
    most, *times = table.rows[-1]
    return (
        f"Two curves, flat and then straight. Few tokens take {1e6 * first.flat:.0f} µs on the {one} "
        f"and {1e6 * second.flat:.0f} µs on the {other}; {most:,} take {times[0]:.0f} and {times[1]:.0f} µs. The lines "
        f"meet at {first.meeting:.0f} and {second.meeting:.0f} tokens, where the datasheets say {before:.0f} and "
        f"{after:.0f}."
    )
