"""Prefill and decode on one time line: how busy arithmetic and memory are in each"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import Example
from ..sketch import During, Sketch
from . import FOUR, INK, ONE, QUIET, TWO, Table

CANVAS = Sketch
SIZE = (4.6, 2.1)
PROMPT, NEW, SLOWER = 512, 5, 250
_LEFT, _WIDE, _HIGH = 66.0, 256.0, 34.0
_LANES = {"arithmetic": (34.0, ONE), "memory": (78.0, TWO)}
_AXIS = 120.0


def title(example: Example) -> str:  # noqa: D103
    return (
        f"A prompt of {PROMPT} tokens and the first {NEW} of the answer: {example.title}, {example.dtype}, on an "
        f"{example.device}. A lane is filled as high as it is busy. Where the picture moves, it is {SLOWER} times "
        "slower than the machine."
    )


def data(example: Example) -> Table:  # noqa: D103
    asked: Any = {"B": 1, **example}
    shape: Any = {"B": 1, "model": example.model}
    machine: Any = {"hardware": example.hardware, "dtype": example.dtype}
    weights = evaluated("prompt_weight_bytes_read", weights=example.dtype, model=example.model)
    cache = evaluated("kv_bytes_total", cache=example.dtype, N=PROMPT, **shape)
    read = (weights + cache) / of_preset("W", **machine)
    work = evaluated("prefill_product_flops", N=PROMPT, **shape) / of_preset("F", **machine)
    passes = [("prompt", (evaluated("prefill_time_with_attention", N=PROMPT, **asked), work, read))]
    parts = ("latency_with_cache", "compute_time_with_attention", "memory_time_with_cache")
    for new in range(1, NEW):
        whole, work, read = (evaluated(part, N=PROMPT + new, **asked) for part in parts)
        passes.append((f"token {new + 1}", (whole, work, read)))
    rows = [(what, *(float(time) * 1e3 for time in times)) for what, times in passes]
    return Table(("pass", "ms", "ms of arithmetic", "ms of reading"), rows)


def draw(sketch: Sketch, table: Table) -> None:  # noqa: D103
    whole = sum(table.column(1))
    sketch.steps, sketch.seconds = whole * 1.15, SLOWER / 1e3
    scale = _WIDE / whole
    for name, (top, colour) in _LANES.items():
        sketch.words((_LEFT - 6, top + _HIGH / 2 + 4), name, colour, anchor="end")
        sketch.boxes([(_LEFT, top)], (_WIDE, _HIGH), QUIET, share=0.15)
    begun = 0.0
    for _, lasts, *busy in table.rows:
        wide, left, ended = lasts * scale - 0.8, _LEFT + begun * scale, begun + lasts
        for (top, colour), time in zip(_LANES.values(), busy, strict=True):
            high = _HIGH * time / lasts
            sketch.boxes([(left, top + _HIGH - high)], (wide, high), colour, during=During(begun, grown=ended))
        sketch.boxes([(left + wide - 6, 18)], (7, 9), FOUR, during=During(ended))
        sketch.line((left + wide + 0.4, 30), (left + wide + 0.4, _AXIS - 8), colour=QUIET, width=0.6)
        begun = ended
    sketch.words((_LEFT, 26), "the prompt", anchor="start")
    sketch.words((_LEFT + _WIDE, 12), "a token each", FOUR, anchor="end")
    _axis(sketch, whole, scale)
    sketch.line((_LEFT, 30), (_LEFT, _AXIS), colour=INK, width=1.4, during=During(0, whole, to=(_WIDE, 0), still=False))


def _axis(sketch: Sketch, whole: float, scale: float) -> None:
    sketch.line((_LEFT, _AXIS), (_LEFT + _WIDE, _AXIS), colour=QUIET, width=0.8)
    for time in range(0, int(whole) + 1, 10):
        at = _LEFT + time * scale
        sketch.line((at, _AXIS), (at, _AXIS + 3), colour=QUIET, width=0.8)
        sketch.words((at, _AXIS + 13), str(time), size=9)
    sketch.words((_LEFT + _WIDE / 2, _AXIS + 26), "milliseconds")


def alt(table: Table) -> str:  # noqa: D103
    (_, prompt, _, reading), (_, token, work, _), *_ = table.rows
    return (
        f"Two lanes over {sum(table.column(1)):.0f} ms. For {prompt:.1f} ms the prompt keeps the arithmetic busy all "
        f"the time and the memory {reading / prompt:.0%} of it. Then come {len(table.rows) - 1} steps of {token:.1f} "
        f"ms each, in which the memory is always busy and the arithmetic {work / token:.1%} of the time."
    )
