"""All-reduce in a ring: pieces go round twice, first to be added up, then as finished sums"""

from __future__ import annotations

from collections.abc import Sequence

from ...quantity import evaluated, of_preset
from ..sketch import During, Sketch
from . import INK, ONE, QUIET, THREE, Table

CANVAS = Sketch
SIZE = (4.6, 1.45)
DEVICES = 4
TITLE = (
    f"One all-reduce: a row for each of {DEVICES} devices, its vector in {DEVICES} pieces, darker with each device in "
    "the sum; green: all. What leaves below comes in above. One token of Llama-2-70B, SXM."
)
_STEP = {"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "B": 1, "n_tensor": DEVICES}
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


def data() -> Table:  # noqa: D103
    steps = 2 * (DEVICES - 1)
    reduces = 2 * int(of_preset("n_blocks", model=_STEP["model"]))
    each = float(evaluated("all_reduce_time", **_STEP)) / reduces / steps * 1e6
    size = float(of_preset("d_model", model=_STEP["model"]) * of_preset("n_bytes_act", dtype=_STEP["dtype"])) / DEVICES
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
        for here in range(DEVICES):
            _vector(sketch, state, here, pieces[state][here])
    for step in range(len(table.rows)):
        for here in range(DEVICES):
            _message(sketch, step, here, pieces)


def _corner(state: int, here: int, piece: float) -> tuple[float, float]:
    return _LEFT + state * _APART + piece * _PIECE[0], _TOP + here * _DOWN


def _vector(sketch: Sketch, state: int, here: int, summands: Sequence[int]) -> None:
    there = During(state)
    if state == 0:
        sketch.words((_LEFT - 4, _TOP + here * _DOWN + 8.5), str(here + 1), QUIET, anchor="end")
    for piece, number in enumerate(summands):
        _piece(sketch, _corner(state, here, piece), number, there)
    sketch.box(_corner(state, here, 0), (DEVICES * _PIECE[0], _PIECE[1]), "none", edge=QUIET)


def _piece(sketch: Sketch, place: tuple[float, float], number: int, during: During, edge: str = "none") -> None:
    done, (wide, high) = number == DEVICES, _PIECE
    share = 1 if done else number**2 / 12
    sketch.box(place, (wide - 0.7, high), THREE if done else ONE, share=share, edge=edge, during=during)


def _message(sketch: Sketch, step: int, here: int, pieces: Sequence[Sequence[Sequence[int]]]) -> None:
    piece, to = sent(DEVICES, step, here), (here + 1) % DEVICES
    x, y = _corner(step, here, piece)
    across, down = _corner(step + 1, to, piece)[0] - x, (1 if to else -to - DEVICES + 1) * _DOWN
    _piece(sketch, (x, y), pieces[step][here][piece], During(step, step + 1, (across, down), still=False), INK)
    begun, arrives = (x + _PIECE[0] / 2, y + _PIECE[1]), (x + _PIECE[0] / 2 + across, y + down)
    if to:
        sketch.line(begun, arrives, colour=QUIET, width=0.8, arrow=True)
    else:  # round the ring: out below, in above
        sketch.line(begun, (begun[0] + across / 6, begun[1] + 5), colour=QUIET, width=0.8)
        sketch.line((arrives[0] - across / 5, arrives[1] - 6), arrives, colour=QUIET, width=0.8, arrow=True)


def alt(table: Table) -> str:  # noqa: D103
    steps, (_, size, *_) = len(table.rows), table.rows[0]
    return (
        f"{DEVICES} devices in a ring, each with a vector in {DEVICES} pieces, in {steps} steps. In each step every "
        f"device sends one piece of {size:.1f} kB to the next. After {steps // 2} steps each has one finished sum, "
        f"after {steps} all of them; at {table.rows[0][-1]:.1f} µs a step that takes {table.rows[-1][-1]:.1f} µs."
    )
