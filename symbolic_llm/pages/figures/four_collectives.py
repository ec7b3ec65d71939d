"""Four ways to share what devices have, before and after: pieces in the colour of the device that they come from"""

from __future__ import annotations

from ..sketch import Sketch
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Table
from .ring import DEVICES

CANVAS = Sketch
SIZE = (4.6, 1.3)
TITLE = (
    f"Four collectives, before and after: a row for each of {DEVICES} devices, pieces in the colour of the device that "
    "they come from. A piece in all colours is a sum."
)
_COLOURS = (ONE, TWO, THREE, FOUR)
_PIECE = (7.5, 10.0)
_DOWN = 16.0  # from one device to the next
_LEFT, _TOP, _APART = 5.0, 24.0, 84.5  # from one collective to the next
_AFTER = 41.0  # from a picture before to that after

Held = tuple[tuple[tuple[int, ...], ...], ...]  # of each device and place the devices whose pieces are in it


def held() -> dict[str, tuple[Held, Held]]:
    """Pieces that devices have in each place of a vector, before and after each collective."""
    every, all_of_them = range(DEVICES), tuple(range(DEVICES))

    def at(piece: int, there: bool) -> tuple[int, ...]:
        return (piece,) if there else ()

    own = tuple(tuple((here,) for _ in every) for here in every)
    scattered = tuple(tuple(at(here, here == place) for place in every) for here in every)
    return {
        "all-gather": (scattered, tuple(tuple((place,) for place in every) for _ in every)),
        "reduce-scatter": (own, tuple(tuple(all_of_them if here == p else () for p in every) for here in every)),
        "all-reduce": (own, tuple(tuple(all_of_them for _ in every) for _ in every)),
        "all-to-all": (own, tuple(tuple((place,) for place in every) for _ in every)),
    }


def data() -> Table:  # noqa: D103
    rows = []
    for name, (before, after) in held().items():
        counts = [sum(bool(piece) for piece in state[0]) for state in (before, after)]
        rounds = {"all-reduce": 2}.get(name, 1)
        added = "yes" if any(len(piece) > 1 for piece in after[0]) else "no"
        rows.append((name, *counts, added, rounds * (DEVICES - 1)))
    head = ("collective", "pieces of a device before", "after", "are added up", "pieces that each device sends")
    return Table(head, rows, {"held": held()})


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    for place, (name, states) in enumerate(table.more["held"].items()):
        left = _LEFT + place * _APART
        sketch.words((left, _TOP - 9), name, INK, anchor="start")
        for state, right in zip(states, (left, left + _AFTER), strict=True):
            _picture(sketch, (right, _TOP), state)
        middle = _TOP + DEVICES * _DOWN / 2 - 3
        begins = left + DEVICES * _PIECE[0]
        sketch.line((begins + 3, middle), (left + _AFTER - 3, middle), colour=QUIET, arrow=True)


def _picture(sketch: Sketch, corner: tuple[float, float], state: Held) -> None:
    (x, y), (wide, high) = corner, _PIECE
    stripes: dict[tuple[int, int], list[tuple[float, float]]] = {}  # by their origin, and by how many are in a piece
    for here, vector in enumerate(state):
        for place, pieces in enumerate(vector):
            for part, origin in enumerate(pieces):
                left = x + place * wide + 0.5 + part * (wide - 1) / len(pieces)
                stripes.setdefault((origin, len(pieces)), []).append((left, y + here * _DOWN))
    for (origin, many), corners in stripes.items():
        sketch.boxes(corners, ((wide - 1) / many, high), _COLOURS[origin])
    outlines = ((x, y + here * _DOWN) for here in range(DEVICES))
    sketch.boxes(outlines, (DEVICES * wide, high), "none", edge=QUIET)


def alt(table: Table) -> str:  # noqa: D103
    said = {
        "all-gather": "each device has one piece before and the pieces of all after",
        "reduce-scatter": "each has a vector of its own before and one piece of the sum after",
        "all-reduce": "each has a vector of its own before and the whole sum after",
        "all-to-all": "each has a piece for every device before, and after one from every device",
    }
    return (
        f"Vectors of {DEVICES} devices before and after. "
        + "; ".join(f"{row[0]}: {said[row[0]]}" for row in table.rows)
        + "."
    )
