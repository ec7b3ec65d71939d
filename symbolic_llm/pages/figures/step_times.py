"""Step times: how long a decoding step of the example takes, against the batch, at four contexts"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Table

TITLE = "A step of Llama-2-7B on one A100. Where a line goes on in dashes, the caches no longer fit its memory."
EXAMPLE: Any = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16"}
CONTEXTS = (1, 100, 300, 1000)
BATCHES = (1, *range(16, 513, 16))


def data() -> Table:  # noqa: D103
    times = {n: [evaluated("latency_with_cache", B=b, N=n, **EXAMPLE) for b in BATCHES] for n in CONTEXTS}
    rows = [(b, *(float(times[n][place]) * 1000 for n in CONTEXTS)) for place, b in enumerate(BATCHES)]
    head = ("batch", *(f"ms, context {n:,}" for n in CONTEXTS))
    fit = {n: evaluated("sequences_that_fit", N=n, **EXAMPLE) for n in CONTEXTS}
    full = {n: (float(b), float(evaluated("latency_with_cache", N=n, B=b, **EXAMPLE)) * 1000) for n, b in fit.items()}
    crossing = float(evaluated("batch_crossover", **EXAMPLE))
    return Table(head, rows, {"full": full, "crossing": crossing})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    batches, highest = table.column(0), 62
    for place, (context, colour) in enumerate(zip(CONTEXTS, (ONE, TWO, THREE, FOUR), strict=True), 1):
        shown = [(b, time) for b, time in zip(batches, table.column(place), strict=True) if time < highest]
        full = table.more["full"][context]
        held, beyond = [p for p in shown if p < full], [p for p in shown if p >= full]
        axes.plot(*zip(*held, *([full] if beyond else []), strict=True), color=colour)
        if beyond:
            axes.plot(*zip(full, *beyond, strict=True), color=colour, linestyle=(0, (2, 2)))
            axes.plot(*full, "o", color=colour, markersize=5)
    axes.set(xlim=(0, 512), ylim=(0, 66), xlabel="batch: sequences in one step", ylabel="milliseconds for a step")
    axes.set_xticks([0, 100, 200, 300, 400, 500])
    crossing, low = table.more["crossing"], table.rows[0][1]
    axes.annotate(
        f"{crossing:.0f}", (crossing, low), (crossing, 1.2), arrowprops={"arrowstyle": "-", "color": QUIET}, ha="center"
    )
    axes.text(505, 13.5, "1 token each", color=ONE, ha="right")
    axes.text(505, 25, "100 tokens", color=TWO, ha="right")
    axes.text(385, 44, "300", color=THREE, ha="right")
    axes.text(175, 57, "1,000", color=FOUR, ha="right")
    axes.text(148, 40, "memory is full", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    last = dict(zip(CONTEXTS, table.rows[-1][1:], strict=True))
    return (
        f"Four lines of the time of a step against the batch. With a context of one token it hardly leaves "
        f"{table.rows[0][1]:.1f} ms up to a batch of about {table.more['crossing']:.0f}, then rises. With longer "
        f"contexts it rises from the start: at a batch of {BATCHES[-1]} it is {last[300]:.0f} ms with 300 tokens each "
        f"and would be {last[1000]:.0f} ms with 1,000, of which only {table.more['full'][1000][0]:.0f} sequences fit."
    )
