"""All-reduce in a ring: pieces go round twice, first to be added up, then as finished sums"""

from __future__ import annotations

from collections.abc import Sequence

from ...quantity import evaluated, of_preset
from ..examples import Example
from ..sketch import During, Sketch
from . import INK, ONE, QUIET, THREE, Table

CANVAS = Sketch
SIZE = (4.6, 1.45)
DEVICES = 4
_LEFT, _TOP = 15.0, 28.0
_APART, _DOWN = 45.5, 16.0  # from one state to the next, from one device to the next
_PIECE = (8.5, 10.0)

Vector = tuple[frozenset[int], ...]  # of each piece, the devices whose summands are in it


def states(devices: int) -> list[tuple[Vector, ...]]:
    """Vectors of all devices at first and after each step."""
    found = [tuple(tuple(frozenset({here}) for _ in range(devices)) for here in range(devices))]
    for step in range(2 * (devices - 1)):
        now = [list(vector) for vector in found[-1]]
        for here in range(devices):
            piece, to = sent(devices, step, here), (here + 1) % devices
            now[to][piece] = found[-1][here][piece] | found[-1][to][piece]
        found.append(tuple(tuple(vector) for vector in now))
    return found


def sent(devices: int, step: int, here: int) -> int:
    """The piece that a device sends in a step: first its own, then what has just come in."""
    return (here - step) % devices


def title(example: Example) -> str:  # noqa: D103
    return (
        f"One all-reduce: a row for each of {DEVICES} devices, its vector in {DEVICES} pieces, darker with each device "
        f"in the sum; green: all. What leaves below comes in above. One token of {example.large.title}, SXM."
    )


def data(example: Example) -> Table:  # noqa: D103
    steps, large = 2 * (DEVICES - 1), example.large
    reduces = int(evaluated("all_reduces", model=large.model))
    each = float(evaluated("all_reduce_time", B=1, n_tensor=DEVICES, **large)) / reduces / steps * 1e6
    size = float(of_preset("d_model", model=large.model) * of_preset("n_bytes_act", dtype=large.dtype)) / DEVICES
    after = states(DEVICES)
    rows = []
    for step in range(steps):
        came = [after[step + 1][(here + 1) % DEVICES][sent(DEVICES, step, here)] for here in range(DEVICES)]
        complete = sum(len(piece) == DEVICES for vector in after[step + 1] for piece in vector)
        rows.append((step + 1, size / 1e3, max(map(len, came)), complete, each * (step + 1)))
    head = ("step", "kB, each message", "summands in what arrives", "finished pieces, all devices", "µs so far")
    return Table(head, rows, {"pieces": [[list(map(len, vector)) for vector in state] for state in after]})


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    pieces = table.more["pieces"]
    sketch.steps, sketch.seconds = len(pieces) + 1, 1.2
    half = len(table.rows) // 2
    for first, words in ((0, "first round: add up"), (half, "second round: hand on")):
        left, right = _corner(first, 0, DEVICES)[0] + 3, _corner(first + half, 0, 0)[0] - 3
        sketch.words(((left + right) / 2, 10), words)
        sketch.line((left, 15), (right, 15), colour=QUIET, width=0.8)
    for state in range(len(pieces)):
        x, _ = _corner(state, 0, DEVICES / 2)
        said = f"{table.rows[state - 1][-1]:.1f} µs" if state else "start"
        sketch.words((x, _TOP + DEVICES * _DOWN + 9), said, INK if state else QUIET)
        _vectors(sketch, state, pieces[state])
    for step in range(len(table.rows)):
        _messages(sketch, step, pieces[step])


def _corner(state: int, here: int, piece: float) -> tuple[float, float]:
    return _LEFT + state * _APART + piece * _PIECE[0], _TOP + here * _DOWN


def _vectors(sketch: Sketch, state: int, pieces: Sequence[Sequence[int]]) -> None:
    by_number: dict[int, list[tuple[float, float]]] = {}
    for here, summands in enumerate(pieces):
        for piece, number in enumerate(summands):
            by_number.setdefault(number, []).append(_corner(state, here, piece))
        if state == 0:
            sketch.words((_LEFT - 4, _TOP + here * _DOWN + 8.5), str(here + 1), QUIET, anchor="end")
    for number, corners in by_number.items():
        colour, share = _look(number)
        sketch.boxes(corners, (_PIECE[0] - 0.7, _PIECE[1]), colour, share=share, during=During(state))
    outlines = (_corner(state, here, 0) for here in range(DEVICES))
    sketch.boxes(outlines, (DEVICES * _PIECE[0], _PIECE[1]), "none", edge=QUIET)


def _look(number: int) -> tuple[str, float]:
    """Colour of a piece with so many summands, and how much of what is below it covers."""
    return (THREE, 1) if number == DEVICES else (ONE, number**2 / 12)


def _messages(sketch: Sketch, step: int, pieces: Sequence[Sequence[int]]) -> None:
    """Pieces on their way to the next device, and from the last one round the ring: out below, in above."""
    *down, last = range(DEVICES)
    places = [_corner(step, here, sent(DEVICES, step, here)) for here in range(DEVICES)]
    colour, share = _look(pieces[last][sent(DEVICES, step, last)])  # each has met as many summands
    for those, by in ((down, _DOWN), ([last], -last * _DOWN)):
        moves = During(step, step + 1, (_APART, by), still=False)
        corners = [places[here] for here in those]
        sketch.boxes(corners, (_PIECE[0] - 0.7, _PIECE[1]), colour, edge=INK, share=share, during=moves)
    begun = [(x + _PIECE[0] / 2, y + _PIECE[1]) for x, y in places]
    ends = [(x + _APART, y + _DOWN - _PIECE[1]) for x, y in begun]
    x, y = begun[last]
    sketch.line((x, y), (x + _APART / 6, y + 5), colour=QUIET, width=0.8)
    round_x, round_y = x + _APART, _TOP
    ways = [*((begun[here], ends[here]) for here in down), ((round_x - _APART / 5, round_y - 6), (round_x, round_y))]
    sketch.arrows(ways, colour=QUIET, width=0.8)


def alt(table: Table) -> str:  # noqa: D103
    steps, (_, size, *_) = len(table.rows), table.rows[0]
    return (
        f"{DEVICES} devices in a ring, each with a vector in {DEVICES} pieces, in {steps} steps. In each step every "
        f"device sends one piece of {size:.1f} kB to the next. After {steps // 2} steps each has one finished sum, "
        f"after {steps} all of them; at {table.rows[0][-1]:.1f} µs a step that takes {table.rows[-1][-1]:.1f} µs."
    )
