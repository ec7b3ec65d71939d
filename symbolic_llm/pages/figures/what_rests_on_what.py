"""Dependencies between the formulas: which parts of the reference use which"""

from __future__ import annotations

from collections import Counter

from ...catalogue import catalogue
from ...checks.badge import subject
from ...checks.verdict import Standing
from ..dependency_graph import draw_graph, drawn_arrows, graph, most_used
from ..sketch import Sketch
from . import ONE, THREE, TWO, Table

CANVAS = Sketch
SIZE = (4.6, 4.75)
_COLOURS = {Standing.COMPARED: THREE, Standing.FOLLOWS: ONE, Standing.LAW: TWO}
TITLE = (
    "The parts of the reference, each a link to its formulas: green are counts that the engine measures, orange laws "
    "of an ideal machine, blue what follows from others or is defined. An arrow points at what a part uses, the "
    "thicker the more often; where a way leads through another part, the shortcut is not drawn."
)


def data() -> Table:  # noqa: D103
    chapters = catalogue().chapters()
    home = {formula: chapter.name for chapter in chapters for formula in chapter.formulas}
    found = Counter((home[f], home[used]) for f in home for used in f.uses if home[f] != home[used])
    titles = {chapter.name: chapter.title for chapter in chapters}
    sizes = {chapter.title: len(chapter.formulas) for chapter in chapters}
    arrows = {(titles[one], titles[other]): number for (one, other), number in sorted(found.items())}
    made = graph(("Part", "uses", "so many times"), sizes, arrows)
    for chapter in chapters:
        standings = Counter(subject(formula).basis for formula in chapter.formulas)
        colours = [_COLOURS[one] for one in _COLOURS for _ in range(standings[one])]
        made.more.setdefault("parts", {})[chapter.title] = colours
        made.more.setdefault("pages", {})[chapter.title] = f"formulas/index.html#{chapter.name}"
    return made


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    draw_graph(sketch, table)


def alt(table: Table) -> str:  # noqa: D103
    drawn, (most, times) = len(drawn_arrows(table)), most_used(table)
    colours = Counter(colour for part in table.more["parts"].values() for colour in part)
    return (
        f"{len(table.more['sizes'])} parts, links to their formulas, with {drawn} arrows between them; "
        f"{len(table.rows) - drawn} shortcuts are not drawn. The most used is {most}: {times} times from other parts. "
        f"Of the formulas {colours[THREE]} are counts that are measured, {colours[TWO]} are laws, and {colours[ONE]} "
        "follow from others or are definitions."
    )
