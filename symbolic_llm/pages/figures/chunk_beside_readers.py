"""Chunk of a prompt beside readers: the time of a mixed step against the chunk, for three batches"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import INK, ONE, QUIET, THREE, TWO, Table

CONTEXT, PROMPT = 500, 2000
TITLE = (
    f"A step of Llama-2-7B on one A100: readers with {CONTEXT} tokens each get a token, and a chunk of somebody else's "
    f"prompt is taken in, the last of its {PROMPT:,} tokens."
)
_STEP: Any = {
    "model": "llama-2-7b",
    "hardware": "a100-80gb-pcie",
    "dtype": "fp16",
    "N": CONTEXT,
    "N_prompt": PROMPT,
}
_READERS = {8: ONE, 32: TWO, 100: THREE}


def data() -> Table:  # noqa: D103
    rows = [
        (chunk, *(float(evaluated("mixed_step_time", B=b, n_chunk=chunk, **_STEP)) * 1000 for b in _READERS))
        for chunk in (1, *range(25, 601, 25))
    ]
    free = {b: float(evaluated("free_chunk_with_attention", B=b, **_STEP)) for b in _READERS}
    each = float(evaluated("chunk_price", B=32, n_chunk=600, **_STEP)) * 1e6
    return Table(("tokens of the chunk", *(f"ms, {b} readers" for b in _READERS)), rows, {"free": free, "each": each})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    chunks = table.column(0)
    for place, (readers, colour) in enumerate(_READERS.items(), 1):
        times, free = table.column(place), table.more["free"][readers]
        before = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk < free]
        after = [(chunk, time) for chunk, time in zip(chunks, times, strict=True) if chunk > free]
        axes.plot(*zip(*before, (free, times[0]), *after, strict=True), color=colour)
        axes.plot(free, times[0], "o", color=colour, markersize=5)
        axes.text(6, times[0] + 0.6, f"{readers} readers", color=colour)
    axes.set(xlim=(0, 600), ylim=(0, 33), xlabel="tokens of the prompt in the step")
    axes.set_ylabel("ms until each reader's next token")
    axes.set_xticks([0, 200, 400, 600])
    axes.text(20, 3.5, "up to the dot the chunk rides free", color=INK)
    axes.annotate(
        f"each further token:\n{table.more['each']:.0f} µs more for everyone",
        (440, 20.6),
        (590, 9.5),
        ha="right",
        color=INK,
        arrowprops={"arrowstyle": "-", "color": QUIET},
    )


def alt(table: Table) -> str:  # noqa: D103
    said = ", ".join(
        f"with {readers} readers {table.rows[0][place]:.1f} ms up to {table.more['free'][readers]:.0f} tokens"
        for place, readers in enumerate(_READERS, 1)
    )
    return f"Three lines of the time of a step against the chunk, flat at first and then rising alike: {said}."
