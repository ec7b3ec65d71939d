"""Tile that walks over the scores of one head: what it loads, keeps and stores"""

from __future__ import annotations

from ...quantity import evaluated
from ..sketch import During, Sketch
from . import ONE, QUIET, THREE, TWO, Table

CANVAS = Sketch
SIZE = (4.6, 3.55)
TOKENS, TILE = 4096, 1024
TITLE = (
    f"One head, a prompt of {TOKENS:,} tokens. A tile of {TILE:,} queries comes onto the chip, all keys and values "
    "pass by, its outputs leave; then comes the next. No score leaves the chip. The bars are in proportion."
)
_HEAD = {"model": "llama-2-7b", "dtype": "fp16", "N": TOKENS}
_LEFT, _TOP, _SIDE = 94.0, 50.0, 30.0  # of the square of scores, and of a tile in it
_KEYS, _VALUES, _HIGH = 14.0, 30.0, 12.0
_QUERIES, _OUTPUTS, _WIDE = 72.0, 224.0, 14.0
_BARS = (8.0, 214.0, 316.0, 11.0)  # left, top, how wide the longer is, how high


def data() -> Table:  # noqa: D103
    one = float(evaluated("tiled_attention_bytes", b_q=TOKENS, **_HEAD)) / 4  # each of queries, keys, values, outputs
    share, rows, moved = one * TILE / TOKENS, [], 0.0
    for tile in range(1, TOKENS // TILE + 1):
        moved += share + 2 * one + share
        rows.append((tile, *(size / 1e6 for size in (share, 2 * one, share, moved))))
    textbook = float(evaluated("textbook_attention_bytes", **_HEAD)) / 1e6
    head = ("tile of queries", "MB, queries", "MB, keys and values", "MB, outputs", "MB so far")
    return Table(head, rows, {"textbook": textbook})


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    tiles = len(table.rows)
    sketch.steps, sketch.seconds = tiles * tiles + 3, 0.7
    _still(sketch, tiles)
    for row in range(tiles):
        for column in range(tiles):
            _visit(sketch, tiles, row, column)
    _bars(sketch, table)


def _still(sketch: Sketch, tiles: int) -> None:
    whole, below = tiles * _SIDE, _TOP + tiles * _SIDE
    for place in range(tiles):
        along, down = _LEFT + place * _SIDE, _TOP + place * _SIDE
        sketch.boxes([(along, _KEYS), (along, _VALUES)], (_SIDE - 1, _HIGH), TWO, share=0.35)
        sketch.boxes([(_QUERIES, down)], (_WIDE, _SIDE - 1), ONE, share=0.35)
        sketch.boxes([(_OUTPUTS, down)], (_WIDE, _SIDE - 1), THREE, share=0.2)
    sketch.boxes([(_LEFT - 0.5, _TOP - 0.5)], (whole, whole), "none", edge=QUIET)
    sketch.words((_LEFT - 6, _KEYS + 10), "keys", TWO, anchor="end")
    sketch.words((_LEFT - 6, _VALUES + 10), "values", TWO, anchor="end")
    sketch.words((_LEFT + whole + 6, _VALUES + 2), f"loaded {tiles} times", anchor="start")
    sketch.words((_QUERIES - 6, _TOP + whole / 2 - 3), "queries", ONE, anchor="end")
    sketch.words((_QUERIES - 6, _TOP + whole / 2 + 10), "loaded once", anchor="end")
    sketch.words((_OUTPUTS + _WIDE + 6, _TOP + whole / 2 - 3), "outputs", THREE, anchor="start")
    sketch.words((_OUTPUTS + _WIDE + 6, _TOP + whole / 2 + 10), "stored once", anchor="start")
    sketch.words((_LEFT + whole / 2, below + 13), f"scores, {TOKENS:,} × {TOKENS:,}")


def _visit(sketch: Sketch, tiles: int, row: int, column: int) -> None:
    step = row * tiles + column
    now, later, passing = During(step, step + 1, still=False), During(step), During(step, step + 1, still=row == 0)
    x, y = _LEFT + column * _SIDE, _TOP + row * _SIDE
    inside = (_SIDE - 1, _SIDE - 1)
    sketch.boxes([(x, y)], inside, QUIET, share=0.3, during=later)
    sketch.boxes([(x, y)], inside, TWO, share=0.6, during=now)
    sketch.words((x + _SIDE / 2, y + _SIDE / 2 + 4), str(step + 1), during=later)
    sketch.boxes([(x, _KEYS), (x, _VALUES)], (_SIDE - 1, _HIGH), TWO, during=passing)
    if column == 0:
        sketch.boxes([(_QUERIES, y)], (_WIDE, _SIDE - 1), ONE, during=During(step, step + tiles))
    if column == tiles - 1:
        sketch.boxes([(_OUTPUTS, y)], (_WIDE, _SIDE - 1), THREE, during=During(step + 0.5))


def _bars(sketch: Sketch, table: Table) -> None:
    left, top, wide, high = _BARS
    tiles, textbook, moved = len(table.rows), table.more["textbook"], 0.0
    sketch.words((left, top - 4), f"textbook: {textbook:.0f} MB", anchor="start")
    sketch.boxes([(left, top)], (wide, high), QUIET, share=0.6)
    top += 2 * high + 5
    sketch.words((left, top - 4), "in tiles:", anchor="start")
    for tile, queries, passing, outputs, so_far in table.rows:
        first, last = (tile - 1) * tiles, tile == tiles
        done = first + tiles - 0.5
        until = During(done, None if last else done + tiles, still=last)
        sketch.words((left + 44, top - 4), f"{so_far:.1f} MB", anchor="start", during=until)
        parts = [(queries, ONE, first), (outputs, THREE, done)]
        parts += [(passing / tiles, TWO, first + step) for step in range(tiles)]
        for size, colour, step in sorted(parts, key=lambda part: part[2]):
            sketch.boxes([(left + moved, top)], (size / textbook * wide, high), colour, during=During(step))
            moved += size / textbook * wide


def alt(table: Table) -> str:  # noqa: D103
    tiles, (_, queries, passing, outputs, _) = len(table.rows), table.rows[0]
    return (
        f"A square of scores, cut into {tiles} rows of {tiles} tiles, which are visited one after the other. For each "
        f"row {queries:.2f} MB of queries are loaded once, {passing:.1f} MB of keys and values pass by, and "
        f"{outputs:.2f} MB of outputs are stored. In all {table.rows[-1][-1]:.1f} MB move, where the textbook moves "
        f"{table.more['textbook']:.0f} MB."
    )
