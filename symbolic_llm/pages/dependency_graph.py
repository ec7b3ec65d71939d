"""Graphs of what uses what, a line for each name: all arrows point down, and shortcuts are not drawn"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .figures import ONE, QUIET, Table
from .sketch import Sketch

Arrow = Sequence[Any]  # what uses, what is used, so many times
_NAMES, _NUMBERS, _CELLS, _CELL = 82.0, 235.0, 76.0, 2.6  # where names and numbers begin, how wide all and one may be


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


def draw_graph(sketch: Sketch, table: Table, *, thicker: float = 0.15) -> None:
    """Draw a graph, each arrow the `thicker` by so many points for each use.

    What `parts` of the table has of a name is the colours in which its number is counted out; `pages`, where it leads.
    """
    parts, pages = table.more.get("parts", {}), table.more.get("pages", {})
    high, cell = sketch.size[1] / len(table.more["sizes"]), min(_CELL, _CELLS / max(table.more["sizes"].values()))
    rows = {name: (row + 0.5) * high for row, name in enumerate(in_order(table))}
    for one, other, number in drawn_arrows(table):
        begins, ends = rows[one] + high / 5, rows[other] - high / 8
        out = min(_NAMES * 1.28, 9 + 0.55 * (ends - begins))
        sketch.bow((_NAMES, begins), (_NAMES, ends), out, colour=QUIET, width=round(0.7 + thicker * number, 2))
    for name, y in rows.items():
        sketch.words((_NAMES + 3, y + 3), name, size=9, anchor="start", page=pages.get(name, ""))
        number = table.more["sizes"][name]
        for place, colour in enumerate(parts.get(name, ())):
            sketch.boxes([(_NUMBERS + place * cell, y - 3.5)], (cell * 0.8, 7), colour)
        if name not in parts:
            sketch.boxes([(_NUMBERS, y - 3.5)], (number * cell, 7), ONE)
        sketch.words((_NUMBERS + number * cell + 2, y + 3), str(number), size=9, anchor="start")


def in_order(table: Table) -> list[str]:
    """All names from above down: each above what it uses, those that neither use nor are used last."""
    level, linked = table.more["level"], {name for row in table.rows for name in row[:2]}
    return sorted(level, key=lambda name: (name not in linked, -level[name]))


def _by_another_way(one: str, other: str, rows: Sequence[Arrow]) -> bool:
    """Whether one also uses another through a third."""
    steps = {below for above, below, _ in rows if above == one} - {other}
    while steps:
        if other in steps:
            return True
        steps = {below for above, below, _ in rows if above in steps}
    return False


def drawn_arrows(table: Table) -> list[Arrow]:
    """Arrows that are drawn: those that are no shortcuts."""
    return [(one, other, number) for one, other, number in table.rows if not _by_another_way(one, other, table.rows)]


def most_used(table: Table) -> tuple[str, int]:
    """The name that is used most often, and how often."""
    used = Counter(dict.fromkeys(table.more["sizes"], 0))
    for _, other, number in table.rows:
        used[other] += number
    return used.most_common(1)[0]
