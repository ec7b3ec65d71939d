"""Chunk of a prompt beside readers: on a time line, and the time of a mixed step against the chunk"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import GRID, INK, ONE, QUIET, THREE, TWO, Table

CONTEXT, PROMPT = 500, 2000
TITLE = (
    f"Llama-2-7B on one A100: readers with {CONTEXT} tokens each, and somebody else's prompt of {PROMPT:,}. Above, 32 "
    "readers get a token at each dot. Below, a step with the last chunk."
)
_STEP: Any = {
    "model": "llama-2-7b",
    "hardware": "a100-80gb-pcie",
    "dtype": "fp16",
    "N": CONTEXT,
}
_READERS = {8: ONE, 32: TWO, 100: THREE}
_BESIDE, _SLICE, _SHOWN = 32, 200, 132.0  # readers, tokens of a chunk, milliseconds of the time line


def steps(chunk: int) -> list[tuple[float, float]]:
    """Milliseconds in which each step begins and ends from the prompt on; first those with a chunk of it."""
    found, now = [], 0.0
    for taken in range(chunk, PROMPT + 1, chunk):
        takes = float(evaluated("mixed_step_time", B=_BESIDE, n_chunk=chunk, N_prompt=taken, **_STEP)) * 1000
        found.append((now, now + takes))
        now += takes
    alone = float(evaluated("latency_with_cache", B=_BESIDE, **_STEP)) * 1000
    while now + alone < _SHOWN:
        found.append((now, now + alone))
        now += alone
    return found


def data() -> Table:  # noqa: D103
    last = _STEP | {"N_prompt": PROMPT}
    rows = [
        (chunk, *(float(evaluated("mixed_step_time", B=b, n_chunk=chunk, **last)) * 1000 for b in _READERS))
        for chunk in (1, *range(25, 601, 25))
    ]
    free = {b: float(evaluated("free_chunk_with_attention", B=b, **last)) for b in _READERS}
    each = float(evaluated("chunk_price", B=32, n_chunk=600, **last)) * 1e6
    lanes = {chunk: steps(chunk) for chunk in (PROMPT, _SLICE)}
    head = ("tokens of the chunk", *(f"ms, {b} readers" for b in _READERS))
    return Table(head, rows, {"free": free, "each": each, "lanes": lanes})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    above, axes = figure.subplots(2, 1, height_ratios=(1, 2.2))
    _time_line(above, table)
    chunks = table.column(0)
    for place, (readers, colour) in enumerate(_READERS.items(), 1):
        times, free = table.column(place), table.more["free"][readers]
        before = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk < free]
        after = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk > free]
        axes.plot(*zip(*before, (free, times[0]), *after, strict=True), color=colour)
        axes.plot(free, times[0], "o", color=colour, markersize=5)
        beside = {"y": times[0] + 0.6} if place > 1 else {"y": times[0] - 0.8, "va": "top"}
        axes.text(6, s=f"{readers} readers", color=colour, **beside)
    axes.set(xlim=(0, 600), ylim=(0, 33), xlabel="tokens of the prompt in the step")
    axes.set_ylabel("ms to the next token")
    axes.set_xticks([0, 200, 400, 600])
    axes.text(20, 1.2, "up to the dot the chunk rides free", color=INK)
    axes.annotate(
        f"each further token:\n{table.more['each']:.0f} µs more for everyone",
        (440, 20.6),
        (590, 9.5),
        ha="right",
        color=INK,
        arrowprops={"arrowstyle": "-", "color": QUIET},
    )


def _time_line(axes: Any, table: Table) -> None:
    for lane, (chunk, found) in enumerate(table.more["lanes"].items()):
        for number, (begins, ends) in enumerate(found):
            colour = TWO if number < PROMPT // chunk else GRID
            axes.barh(lane, ends - begins - 0.8, 0.5, begins, color=colour)
        axes.plot([ends for _, ends in found], [lane - 0.42] * len(found), "o", color=INK, markersize=3, clip_on=False)
    axes.set_yticks([0, 1], ["whole", f"{PROMPT // _SLICE} chunks"])
    axes.set(xlim=(0, _SHOWN), ylim=(1.35, -0.6), xlabel="ms since the prompt came")
    axes.grid(visible=False)


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(
        f"with {readers} readers {table.rows[0][place]:.1f} ms up to {int(table.more['free'][readers])} tokens"
        for place, readers in enumerate(_READERS, 1)
    )
    whole, chunks = table.more["lanes"].values()
    return (
        f"Above, two rows of steps in time. With the whole prompt in one, readers wait {whole[0][1]:.0f} ms; in "
        f"{PROMPT // _SLICE} chunks they get a token about every {chunks[0][1]:.0f} ms, and the prompt is done after "
        f"{chunks[PROMPT // _SLICE - 1][1]:.0f} ms. "
        f"Below, three lines of the time of a step against the chunk, flat at first and then rising alike: {said}."
    )
