"""Factors by which published figures are wrong: printed over computed, each mistake with its own line"""

from __future__ import annotations

from collections import Counter
from math import log10

from ...audit import causes
from ..audits import those
from . import ONE, QUIET, TWO, Axes, Table, across

TITLE = (
    "Figures and equations that should read otherwise, if they are off by a number and not by a letter: what is "
    "printed, divided by what comes out. A dot is one of them, a larger one several that are off alike; the number "
    "says how many there are."
)
SIZE = (4.6, 4.6)
_FAR, _MANY = 1.25, 10  # a mistake that moves no figure by more, and not so many of them, has no line of its own
_TWOS, _NEAR = (0.5, 2), 0.05
_EDGE = 10  # what is off by more is written at the edge
_HEAPS = 50  # dots in a tenfold
_LAST = "Others, all small"
_TWO_VALUES = "Two values for one"  # a source contradicts itself, and why is not known


def data() -> Table:  # noqa: D103
    found: dict[str, list[float]] = {}
    for _, one in those("refuted"):
        if one.factor is not None:
            title = causes()[one.claim.cause].title if one.claim.cause else _TWO_VALUES
            found.setdefault(title, []).append(float(one.factor))
    ordered = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    shown = [title for title, some in ordered if len(some) >= _MANY or max(max(f, 1 / f) for f in some) > _FAR]
    lines = [(title, found[title]) for title in shown]
    lines.append((_LAST, [factor for title, some in found.items() if title not in shown for factor in some]))
    twos = sum(_near_two(factor) for _, some in lines for factor in some)
    rows = [(title, len(some), min(some), max(some)) for title, some in lines]
    head = ("What went wrong", "figures", "least printed ÷ computed", "most")
    return Table(head, rows, {"lines": lines, "twos": twos})


def _near_two(factor: float) -> bool:
    return any(abs(factor / two - 1) < _NEAR for two in _TWOS)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    for two in _TWOS:
        axes.axvspan(two * 0.93, two * 1.075, color=TWO, alpha=0.16, linewidth=0)
        axes.text(two, -0.8, "twice" if two > 1 else "half", color=TWO, ha="center", va="bottom")
    axes.axvline(1, color=QUIET, linewidth=1)
    for place, (_, some) in enumerate(table.more["lines"]):
        heaps = Counter(round(log10(factor) * _HEAPS) / _HEAPS for factor in some if factor < _EDGE)
        for at, number in heaps.items():
            colour = TWO if _near_two(10**at) else ONE
            axes.plot([10**at], [place], "o", color=colour, markersize=4 + 1.6 * number**0.5, alpha=0.85)
        if beyond := sorted(factor for factor in some if factor >= _EDGE):
            axes.text(_EDGE, place, ", ".join(f"{f:,.0f}" for f in beyond) + " →", ha="right", va="center", color=ONE)
    across(axes, "printed ÷ computed", (0.15, _EDGE), {0.2: "⅕", 0.5: "½", 1: "1", 2: "2", 5: "5"}, log=True)
    axes.set_yticks(range(len(table.rows)), [f"{title}  {number}" for title, number, *_ in table.rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(table.rows) - 0.4, -0.9)


def alt(table: Table) -> str:  # noqa: D103
    number = sum(table.column(1))
    return (
        f"Dots on a logarithmic axis, a line for each mistake: {number} figures, of which {table.more['twos']} lie "
        f"within {_NEAR:.0%} of one half or of two. The two largest groups are “{table.column(0)[0]}” with "
        f"{table.column(1)[0]} and “{table.column(0)[1]}” with {table.column(1)[1]}; single "
        f"figures are off by up to {max(table.column(3)):,.0f} times."
    )
