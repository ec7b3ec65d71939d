"""Token in one block's attention: what is read, what is kept on the chip, what is written"""

from __future__ import annotations

from ...quantity import of_preset
from ..examples import Example
from ..sketch import During, Sketch
from . import FOUR, ONE, QUIET, THREE, TWO, Table

CANVAS = Sketch
SIZE = (4.6, 3.2)
_CONTEXT = 4096  # where each query has keys of its own
_MEMORY, _DEEP, _ROW = 142.0, 40.0, 6.0  # where the memory's boxes begin, how high they are, and a new row in them
_CHIP, _HIGH, _BUS = 56.0, 10.0, 100.0  # where vectors on the chip are, how high they are; where the chip ends
_LEFT, _GAP, _WHOLE, _RIGHT = 6.0, 8.0, 295.0, 325.0
_MADE = {"query, key, value": 3, "scores": 1, "mixture": 1, "output": 1}  # on the chip, in so many boxes
_THIN = 0.8


def context(example: Example) -> int:
    """Tokens of the context, of which groups of queries that share keys have as many more."""
    heads, of_keys = (int(of_preset(letter, **example)) for letter in ("n_heads", "n_kv_heads"))
    return _CONTEXT * heads // of_keys


def title(example: Example) -> str:  # noqa: D103
    return (
        f"A token in the attention of one block: {example.title}, {example.dtype}, a context of {context(example):,} "
        "tokens. Widths in memory are bytes. The new rows, drawn thicker than they are, stay; the token's vector goes "
        "on; the rest is forgotten."
    )


def data(example: Example) -> Table:  # noqa: D103
    letters = ("d_model", "n_heads", "n_kv_heads", "d_head")
    width, heads, of_keys, d = (int(of_preset(letter, **example)) for letter in letters)
    number, kept = float(of_preset("n_bytes", **example)), context(example)
    row = of_keys * d * number
    rows = [
        ("matrices Q, K, V", width * (heads + 2 * of_keys) * d * number / 1e6, 0.0),
        ("new key and value", 0.0, 2 * row / 1e3),
        ("keys", kept * row / 1e6, 0.0),
        ("values", kept * row / 1e6, 0.0),
        ("matrix O", heads * d * width * number / 1e6, 0.0),
    ]
    return Table(("In this order", "MB read", "kB written"), rows)


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    sketch.steps, sketch.seconds = len(table.rows) + 2, 1.6
    read = [(step, name, size) for step, (name, size, _) in enumerate(table.rows) if size]
    whole, left, lefts = sum(size for *_, size in read), _LEFT, []
    for (step, name, size), made in zip(read, _MADE, strict=True):
        lefts.append((left, size / whole * _WHOLE))
        _read(sketch, step, lefts[-1], name, size)
        _made(sketch, step, _middle(lefts[-1]), made)
        left += lefts[-1][1] + _GAP
    _ways(sketch, [_middle(across) for across in lefts])
    _written(sketch, table, lefts)
    so_far, last = 0.0, len(table.rows) - 1
    for step, (_, size, _) in enumerate(table.rows):
        so_far += size
        until = During(step, None if step == last else step + 1, still=step == last)
        sketch.words((_RIGHT, _MEMORY + _DEEP + 40), f"read so far: {so_far:.0f} MB", anchor="end", during=until)


def _middle(across: tuple[float, float]) -> float:
    return across[0] + across[1] / 2


def _read(sketch: Sketch, step: int, across: tuple[float, float], name: str, size: float) -> None:
    (left, wide), colour = across, TWO if name in ("keys", "values") else ONE
    middle, now = _middle(across), During(step, step + 1)
    sketch.boxes([(left, _MEMORY)], (wide, _DEEP), colour, share=0.3)
    sketch.boxes([(left, _MEMORY)], (wide, _DEEP), colour, during=now)
    sketch.words((middle, _MEMORY + _DEEP + 12), name, colour)
    sketch.words((middle, _MEMORY + _DEEP + 24), f"{size:.0f} MB")
    end = _CHIP + _HIGH + 3
    sketch.line((middle, _MEMORY - 2), (middle, end), colour=colour, width=1.2, arrow=True)
    up = During(step, step + 1, (0, end - _MEMORY + 8), still=False)
    sketch.boxes([(middle - 5, _MEMORY - 9)], (10, 7), colour, during=up)


def _made(sketch: Sketch, step: int, middle: float, made: str) -> None:
    boxes = _MADE[made]
    sketch.words((middle, _CHIP - 5), made, during=During(step))
    for number in range(boxes):
        left = middle + (number - boxes / 2) * 24 + 1
        sketch.boxes([(left, _CHIP)], (22, _HIGH), THREE, during=During(step + 0.5))


def _ways(sketch: Sketch, middles: list[float]) -> None:
    first, last, high = middles[0], middles[-1], 20.0
    sketch.words((_LEFT, high - 6), "the token's vector", THREE, anchor="start")
    sketch.line((_LEFT, high), (_RIGHT, high), colour=THREE, width=1.4, arrow=True)
    sketch.line((first, high), (first, _CHIP - 15), colour=THREE, width=_THIN, arrow=True)
    sketch.line((last, _CHIP - 15), (last, high + 2), colour=THREE, width=_THIN, arrow=True)
    sketch.words((last - 4, high + 14), "added", anchor="end")
    for begins, ends, half in zip(middles, middles[1:], (36, 12, 12), strict=False):
        row = _CHIP + _HIGH / 2
        sketch.line((begins + half + 2, row), (ends - 14, row), colour=THREE, width=_THIN, arrow=True)
    sketch.line((_LEFT, _BUS), (_RIGHT, _BUS), colour=QUIET, width=_THIN)
    sketch.words((_LEFT, _BUS - 4), "chip", QUIET, anchor="start")
    sketch.words((_LEFT, _BUS + 11), "memory", QUIET, anchor="start")


def _written(sketch: Sketch, table: Table, lefts: list[tuple[float, float]]) -> None:
    begins, low = _middle(lefts[0]) + 24, _MEMORY - 16
    (step, (_, _, size)), *_ = [(step, row) for step, row in enumerate(table.rows) if row[2]]
    there = During(step)
    for left, wide in lefts[1:3]:
        into = left + 8
        way = ((begins, _CHIP + _HIGH + 1), (begins, low), (into, low), (into, _MEMORY - 1))
        sketch.line(*way, colour=FOUR, width=1.2, arrow=True, during=there)
        sketch.boxes([(left, _MEMORY)], (wide, _ROW), FOUR, during=During(step + 0.5))
    sketch.words((begins + 5, low - 5), f"written: {size:.0f} kB", FOUR, anchor="start", during=there)


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(f"{name} {size:.0f} MB" for name, size, _ in table.rows if size)
    (written,) = (size for *_, size in table.rows if size)
    return (
        f"Two levels, memory below and chip above, in {len(table.rows)} steps from left to right. Read for one token: "
        f"{said}, in all {sum(table.column(1)):.0f} MB. Written: {written:.1f} kB, a key and a value, which are the "
        "only things kept. Query, scores, mixture and output are made on the chip and stay there."
    )
