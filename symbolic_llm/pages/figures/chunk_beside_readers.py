"""Chunk of a prompt beside readers: on a time line, and the time of a mixed step against the chunk"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from ..examples import Example
from . import GRID, INK, ONE, THREE, TWO, Axes, Table, pointed

AXES = {"nrows": 2, "height_ratios": (1, 2.2)}
PIECES = 10
_READERS = {8: ONE, 32: TWO, 100: THREE}  # of an example whose heads share nothing
_BESIDE = 32  # of these on the time line


def scene(example: Example) -> tuple[int, int, int]:
    """Readers of the time line, tokens that each has, and tokens of the prompt that comes in."""
    return _BESIDE * example.scale, 500 * example.scale**2, 2000 * example.scale


def title(example: Example) -> str:  # noqa: D103
    readers, context, prompt = scene(example)
    return (
        f"{example.title} on one {example.device}: readers with {context:,} tokens each, and somebody else's prompt of "
        f"{prompt:,}. Above, {readers} readers get a token at each dot. Below, a step with the last chunk."
    )


def steps(example: Example, chunk: int) -> list[tuple[float, float]]:
    """Milliseconds in which each step begins and ends from the prompt on: with a chunk of it, then without."""
    readers, context, prompt = scene(example)
    step: Any = {"B": readers, "N": context, **example}
    found, now = [], 0.0
    for taken in range(chunk, prompt + 1, chunk):
        takes = float(evaluated("mixed_step_time", n_chunk=chunk, N_prompt=taken, **step)) * 1000
        found.append((now, now + takes))
        now += takes
    alone = float(evaluated("latency_with_cache", **step)) * 1000
    return found + [(now + more * alone, now + (more + 1) * alone) for more in range(PIECES)]


def data(example: Example) -> Table:  # noqa: D103
    scale, (_, context, prompt) = example.scale, scene(example)
    last: Any = {"N": context, "N_prompt": prompt, **example}
    readers = [scale * some for some in _READERS]
    chunks = [scale * tokens for tokens in range(25, 601, 25)]
    rows = [
        (chunk, *(float(evaluated("mixed_step_time", B=b, n_chunk=chunk, **last)) * 1000 for b in readers))
        for chunk in (1, *chunks)
    ]
    free = {b: float(evaluated("free_chunk_with_attention", B=b, **last)) for b in readers}
    each = float(evaluated("chunk_price", B=scale * _BESIDE, n_chunk=chunks[-1], **last)) * 1e6
    lanes = [steps(example, chunk) for chunk in (prompt, prompt // PIECES)]
    shown = 1.15 * lanes[-1][PIECES - 1][1]
    lanes = [[step for step in lane if step[1] < shown] for lane in lanes]
    head = ("tokens of the chunk", *(f"ms, {b} readers" for b in readers))
    return Table(head, rows, {"free": free, "each": each, "lanes": lanes, "shown": shown})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    above, below = axes
    _time_line(above, table)
    chunks, colours = table.column(0), _READERS.values()
    most, highest = chunks[-1], 1.04 * max(table.rows[-1][1:])
    for place, ((readers, free), colour) in enumerate(zip(table.more["free"].items(), colours, strict=True), 1):
        times = table.column(place)
        before = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk < free]
        after = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk > free]
        below.plot(*zip(*before, (free, times[0]), *after, strict=True), color=colour)
        below.plot(free, times[0], "o", color=colour, markersize=5)
        off, side = (0.018, "bottom") if place > 1 else (-0.024, "top")
        below.text(0.01 * most, times[0] + off * highest, f"{readers} readers", color=colour, va=side)
    below.set(xlim=(0, most), ylim=(0, highest), xlabel="tokens of the prompt in the step")
    below.set_ylabel("ms to the next token")
    below.set_xticks([0, most // 3, 2 * most // 3, most])
    below.text(most / 30, 0.036 * highest, "up to the dot the chunk rides free", color=INK)
    words = f"each further token:\n{table.more['each']:.0f} µs more for everyone"
    pointed(below, words, (0.73 * most, 0.63 * highest), (0.98 * most, 0.29 * highest), "right")


def _time_line(axes: Axes, table: Table) -> None:
    shown = table.more["shown"]
    for lane, (taking, found) in enumerate(zip((1, PIECES), table.more["lanes"], strict=True)):
        for number, (begins, ends) in enumerate(found):
            axes.barh(lane, ends - begins - 0.006 * shown, 0.5, begins, color=TWO if number < taking else GRID)
        axes.plot([ends for _, ends in found], [lane - 0.42] * len(found), "o", color=INK, markersize=3, clip_on=False)
    axes.set_yticks([0, 1], ["whole", f"{PIECES} chunks"])
    axes.set(xlim=(0, shown), ylim=(1.35, -0.6), xlabel="ms since the prompt came")
    axes.grid(visible=False)


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(
        f"with {readers} readers {table.rows[0][place]:.1f} ms up to {int(free)} tokens"
        for place, (readers, free) in enumerate(table.more["free"].items(), 1)
    )
    (whole, *_), chunks = table.more["lanes"]
    return (
        f"Above, two rows of steps in time. With the whole prompt in one, readers wait {whole[1]:.0f} ms; in {PIECES} "
        f"chunks they get a token about every {chunks[0][1]:.0f} ms, and the prompt is done after "
        f"{chunks[PIECES - 1][1]:.0f} ms. "
        f"Below, three lines of the time of a step against the chunk, flat at first and then rising alike: {said}."
    )
