"""Step times: how long a decoding step of the example takes by both laws, against the batch, at four contexts"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Table

TITLE = (
    "A step of Llama-2-7B on one A100 by two laws: solid where matrices and attention take their turns, dashed where a "
    "whole step overlaps. A line ends where memory is full."
)
EXAMPLE: Any = {"model": "llama-2-7b", "hardware": "a100-80gb-pcie", "dtype": "fp16"}
CONTEXTS = (1, 100, 300, 1000)
BATCHES = (1, *range(16, 513, 16))
LAWS = {"part by part": "separate_latency", "as a whole": "latency_with_cache"}


def data() -> Table:  # noqa: D103
    fit = {n: int(float(evaluated("sequences_that_fit", N=n, **EXAMPLE))) for n in CONTEXTS}
    batches = sorted({*BATCHES, *(full for full in fit.values() if full < BATCHES[-1])})

    def time(law: str, n: int, b: int) -> float | None:
        return float(evaluated(law, B=b, N=n, **EXAMPLE)) * 1000 if b <= fit[n] else None

    rows = [(b, *(time(law, n, b) for n in CONTEXTS for law in LAWS.values())) for b in batches]
    head = ("batch", *(f"ms, context {n:,}, {law}" for n in CONTEXTS for law in LAWS))
    return Table(head, rows, {"fit": fit, "crossing": float(evaluated("batch_crossover", **EXAMPLE))})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    for place, (context, colour) in enumerate(zip(CONTEXTS, (ONE, TWO, THREE, FOUR), strict=True)):
        for law, dashes in enumerate(("-", (0, (2, 2)))):
            batches = [row[0] for row in table.rows if row[0] <= table.more["fit"][context]]
            times = [row[1 + 2 * place + law] for row in table.rows][: len(batches)]
            axes.plot(batches, times, color=colour, linestyle=dashes)
            if batches[-1] < BATCHES[-1]:
                axes.plot(batches[-1], times[-1], "o", color=colour, markersize=5)
    axes.set(xlim=(0, 512), ylim=(0, 60), xlabel="batch: sequences in one step", ylabel="milliseconds for a step")
    axes.set_xticks([0, 100, 200, 300, 400, 500])
    crossing, low = table.more["crossing"], table.rows[0][1]
    axes.annotate(
        f"{crossing:.0f}", (crossing, low), (crossing, 0.8), arrowprops={"arrowstyle": "-", "color": QUIET}, ha="center"
    )
    axes.text(505, 12, "1 token each", color=ONE, ha="right")
    axes.text(505, 24.5, "100 tokens", color=TWO, ha="right")
    axes.text(350, 46, "300", color=THREE, ha="right")
    axes.text(100, 40, "1,000", color=FOUR, ha="right")
    axes.text(140, 42, "memory is full", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    last = dict(zip(table.head, table.rows[-1], strict=True))
    parts, whole = (last[f"ms, context {CONTEXTS[1]:,}, {law}"] for law in LAWS)
    return (
        f"Pairs of lines of the time of a step against the batch. With a context of one token both hardly leave "
        f"{table.rows[0][1]:.1f} ms up to a batch of about {table.more['crossing']:.0f}, then rise. With longer "
        f"contexts they rise from the start, together up to that batch and apart beyond: at a batch of {BATCHES[-1]} "
        f"with {CONTEXTS[1]} tokens each a step takes {parts:.0f} ms part by part and {whole:.0f} as a whole."
    )
