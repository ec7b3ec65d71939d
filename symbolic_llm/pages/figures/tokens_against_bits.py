"""Tokens a second against the bits of a weight, as the law has it and with a fixed time for each token"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from ..examples import Example
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

_FORMATS = {"fp16": "fp16", "q8_0": "Q8_0", "q4_0": "Q4_0"}
_BITS = 8  # of a byte
_DRAWN = (*(3 + step / 8 for step in range(24)), *(6 + step / 2 for step in range(21)))  # finer where it bends


def title(example: Example) -> str:  # noqa: D103
    return (
        f"{example.title} on an M2, one sequence. Half the bits, twice the speed, if nothing but reading takes time. "
        "With a fixed time for each token, here as long as reading the Q4_0 weights, much of the gain is gone."
    )


def _seconds(example: Example, **stored: Any) -> float:
    laptop = {name: value for name, value in example.laptop.items() if name != "weights"}
    return float(evaluated("memory_time", **laptop, **stored))


def data(example: Example) -> Table:  # noqa: D103
    fixed = _seconds(example, weights="q4_0")
    rows = []
    for bits in _DRAWN:
        seconds = _seconds(example, n_bytes=bits / _BITS)
        rows.append((bits, 1 / seconds, 1 / (fixed + seconds)))
    marks = [
        (word, _BITS * float(evaluated("bytes_per_weight", weights=name)) if name != "fp16" else 16.0, 1 / seconds)
        for name, word in _FORMATS.items()
        for seconds in [_seconds(example, weights=name)]
    ]
    return Table(("Bits", "tokens/s", "tokens/s with a fixed time"), rows, {"marks": marks, "fixed": fixed})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    bits = table.column(0)
    axes.plot(bits, table.column(1), color=ONE)
    axes.plot(bits, table.column(2), color=TWO)
    for word, at, speed in table.more["marks"]:
        axes.plot([at], [speed], "o", color=ONE, markersize=7)
        last = at == bits[-1]
        away = (5, 13) if last else (7, 5)
        label = {"textcoords": "offset points", "ha": "right" if last else "left", "color": INK}
        axes.annotate(f"{word}: {speed:.3g}", (at, speed), away, **label)
    axes.text(9, table.column(1)[bits.index(5)] * 0.92, "reading alone", color=ONE)
    axes.text(5, table.column(2)[bits.index(8)] * 0.42, "with a fixed time for each token", color=TWO)
    axes.text(_BITS / 2 + 0.2, max(table.column(1)) * 0.93, "four bits, no scales", color=QUIET)
    across(axes, "bits of a weight, its share of the scale included", (2.5, 16.6), (4, 8, 12, 16))
    up(axes, "tokens/s", (0, None))
    axes.axvline(_BITS / 2, color=QUIET, linestyle=":", linewidth=1.2)


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(f"{word} {speed:.1f}" for word, _, speed in table.more["marks"])
    return (
        f"Tokens a second fall as the bits of a weight grow: {said}. A second curve, with a fixed time of "
        f"{table.more['fixed'] * 1e3:.0f} ms for each token, lies lower and is much flatter."
    )
