"""Graphs of what uses what, in levels: all arrows point down, and shortcuts are not drawn"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .figures import INK, ONE, PAPER, QUIET, Table

Arrow = Sequence[Any]  # what uses, what is used, so many times


def graph(head: Sequence[str], sizes: Mapping[str, int], found: Mapping[tuple[str, str], int]) -> Table:
    """Table of a graph's arrows.

    Args:
        head: what the columns are.
        sizes: names of all there are, each with the number that stands beside it.
        found: how often one uses another.
    """
    rows = [(one, other, number) for (one, other), number in found.items()]
    return Table(head, rows, {"sizes": dict(sizes), "level": levels(sizes, rows)})


def levels(names: Mapping[str, int], rows: Sequence[Arrow]) -> dict[str, int]:
    """Level of each name: the largest number of others below it, each on the next."""
    level = dict.fromkeys(names, 0)
    for _ in names:  # the longest way down is no longer than there are names
        for one, other, _number in rows:
            level[one] = max(level[one], level[other] + 1)
    return level


def draw_graph(figure: Any, table: Table, *, thicker: float = 0.25) -> None:
    """Draw a graph, each arrow the `thicker` by so many points for each use."""
    axes = figure.subplots()
    place = _places(table)
    for one, other, number in drawn_arrows(table):
        style = {"arrowstyle": "-|>", "color": QUIET, "linewidth": 0.8 + thicker * number, "shrinkA": 11, "shrinkB": 11}
        axes.annotate("", place[other], place[one], arrowprops=style)
    for title, (x, y) in place.items():
        words = f"{title} {table.more['sizes'][title]}"
        box = {"boxstyle": "round,pad=0.3", "facecolor": PAPER, "edgecolor": ONE}
        axes.text(x, y, words, ha="center", va="center", color=INK, bbox=box, fontsize=9)
    axes.set_xlim(-0.05, 2.05)
    heights = [y for _, y in place.values()]
    axes.set_ylim(min(heights) - 0.25, max(heights) + 0.25)
    axes.axis("off")


def _by_another_way(one: str, other: str, rows: Sequence[Arrow]) -> bool:
    """Whether one also uses another through a third."""
    steps = {below for above, below, _ in rows if above == one} - {other}
    while steps:
        if other in steps:
            return True
        steps = {below for above, below, _ in rows if above in steps}
    return False


def _places(table: Table) -> dict[str, tuple[float, float]]:
    """Each name on the height of its level, side by side; below, those that neither use nor are used."""
    level, linked = table.more["level"], {title for row in table.rows for title in row[:2]}
    heights = {title: float(level[title]) if title in linked else -0.7 for title in level}
    place = {}
    for height in set(heights.values()):
        here = [title for title in heights if heights[title] == height]
        for number, title in enumerate(here):
            place[title] = (2 * (number + 0.5) / len(here), height)
    return place


def drawn_arrows(table: Table) -> list[Arrow]:
    """Arrows that are drawn: those that are no shortcuts."""
    return [(one, other, number) for one, other, number in table.rows if not _by_another_way(one, other, table.rows)]


def most_used(table: Table) -> tuple[str, int]:
    """The name that is used most often, and how often."""
    used = Counter(dict.fromkeys(table.more["sizes"], 0))
    for _, other, number in table.rows:
        used[other] += number
    return used.most_common(1)[0]
