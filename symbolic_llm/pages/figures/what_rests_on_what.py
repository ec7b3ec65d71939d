"""Dependencies between the formulas: which parts of the reference use which"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...catalogue import catalogue
from ..dependency_graph import draw_graph, drawn_arrows, graph, most_used
from . import Table

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
    sizes = {chapter.title: len(chapter.formulas) for chapter in chapters}
    arrows = {(titles[one], titles[other]): number for (one, other), number in sorted(found.items())}
    return graph(("Part", "uses", "so many times"), sizes, arrows)


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    draw_graph(figure, table)


def alt(table: Table) -> str:  # noqa: D103
    drawn, (most, times) = len(drawn_arrows(table)), most_used(table)
    return (
        f"{len(table.more['sizes'])} parts with {drawn} arrows between them; {len(table.rows) - drawn} shortcuts are "
        f"not drawn. The most used is {most}: {times} times from other parts."
    )
