"""Dependencies between the formulas: which parts of the reference use which"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...catalogue import catalogue
from . import INK, ONE, PAPER, QUIET, Table

TITLE = (
    "The parts of the reference, each with the number of its formulas. An arrow points at what a part uses, the "
    "thicker the more often; where a way leads through another part, the shortcut is not drawn. Those at the bottom "
    "stand by themselves."
)
SIZE = (4.6, 4.6)


def data() -> Table:  # noqa: D103
    chapters = catalogue().chapters()
    home = {formula: chapter.name for chapter in chapters for formula in chapter.formulas}
    found = Counter((home[f], home[used]) for f in home for used in f.uses if home[f] != home[used])
    titles = {chapter.name: chapter.title for chapter in chapters}
    rows = [(titles[one], titles[other], number) for (one, other), number in sorted(found.items())]
    sizes = {chapter.title: len(chapter.formulas) for chapter in chapters}
    return Table(("Part", "uses", "so many times"), rows, {"sizes": sizes, "level": _levels(sizes, rows)})


def _levels(titles: Any, rows: Any) -> dict[str, int]:
    """Level of each chapter: the largest number of chapters below it, each on the next."""
    level = dict.fromkeys(titles, 0)
    for _ in titles:  # the longest way down is no longer than there are chapters
        for one, other, _number in rows:
            level[one] = max(level[one], level[other] + 1)
    return level


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    place = _places(table)
    for one, other, number in table.rows:
        if not _by_another_way(one, other, table.rows):
            style = {
                "arrowstyle": "-|>",
                "color": QUIET,
                "linewidth": 0.8 + 0.25 * number,
                "shrinkA": 11,
                "shrinkB": 11,
            }
            axes.annotate("", place[other], place[one], arrowprops=style)
    for title, (x, y) in place.items():
        words = f"{title} {table.more['sizes'][title]}"
        box = {"boxstyle": "round,pad=0.3", "facecolor": PAPER, "edgecolor": ONE}
        axes.text(x, y, words, ha="center", va="center", color=INK, bbox=box, fontsize=9)
    axes.set_xlim(-0.05, 2.05)
    axes.set_ylim(-0.95, max(y for _, y in place.values()) + 0.25)
    axes.axis("off")


def _by_another_way(one: str, other: str, rows: Any) -> bool:
    """Whether a chapter also uses another through a third."""
    steps = {below for above, below, _ in rows if above == one} - {other}
    while steps:
        if other in steps:
            return True
        steps = {below for above, below, _ in rows if above in steps}
    return False


def _places(table: Table) -> dict[str, tuple[float, float]]:
    """Each chapter on the height of its level, side by side; below, those that neither use nor are used."""
    level, linked = table.more["level"], {title for row in table.rows for title in row[:2]}
    heights = {title: float(level[title]) if title in linked else -0.7 for title in level}
    place = {}
    for height in set(heights.values()):
        here = [title for title in heights if heights[title] == height]
        for number, title in enumerate(here):
            place[title] = (2 * (number + 0.5) / len(here), height)
    return place


def alt(table: Table) -> str:  # noqa: D103
    used = Counter(dict.fromkeys(table.more["sizes"], 0))
    for _, other, number in table.rows:
        used[other] += number
    most, times = used.most_common(1)[0]
    drawn = sum(not _by_another_way(one, other, table.rows) for one, other, _ in table.rows)
    return (
        f"{len(table.more['sizes'])} parts with {drawn} arrows between them; {len(table.rows) - drawn} shortcuts are "
        f"not drawn. The most used is {most}: {times} times from other parts."
    )
