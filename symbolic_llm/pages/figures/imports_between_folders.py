"""Imports between the rooms of the package: which folder uses which"""

from __future__ import annotations

import re
from collections import Counter

from ...sources import PACKAGE, below
from ..dependency_graph import draw_graph, drawn_arrows, graph, most_used
from ..sketch import Sketch
from . import Table

TITLE = (
    "The folders of the package, each with the number of its modules, and the engine. An arrow points at what a folder "
    "imports from, the thicker the more often; where a way leads through another folder, the shortcut is not drawn. "
    "Files that stand beside the folders are left out. All arrows point down."
)
CANVAS = Sketch
SIZE = (4.6, 4.6)

_ENGINE = "reference_engine"
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?: +.*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(  # of one room, or of several at once
    r"^ *(?:from|import) (?:\.\.+|symbolic_llm\.|(?=reference_engine))(\w+)|^ *from \.\.+ import (.*)", re.MULTILINE
)


def data() -> Table:  # noqa: D103
    sizes = {room.name: len(below(room)) for room in sorted(PACKAGE.iterdir()) if (room / "__init__.py").exists()}
    found: Counter[tuple[str, str]] = Counter()
    for room in sizes:
        for path in below(PACKAGE / room):
            with open(path, encoding="utf-8") as file:
                imports = _IMPORT.findall(_FOR_TYPES.sub("", file.read()))
            names = [name for one, several in imports for name in (one, *several.split(", "))]
            found.update((room, other) for other in names if other in {*sizes, _ENGINE} - {room})
    sizes[_ENGINE] = len(below(PACKAGE.parent / _ENGINE))
    return graph(("Folder", "imports from", "so many times"), sizes, dict(sorted(found.items())))


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    draw_graph(sketch, table, thicker=0.01)


def alt(table: Table) -> str:  # noqa: D103
    drawn, (most, times) = len(drawn_arrows(table)), most_used(table)
    return (
        f"{len(table.more['sizes'])} folders with {drawn} arrows between them, all of them down; "
        f"{len(table.rows) - drawn} shortcuts are not drawn. The most used is {most}: {times} times from other folders."
    )
