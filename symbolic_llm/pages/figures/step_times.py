"""Step times: how long a decoding step of the example takes by both laws, against the batch, at four contexts"""

from __future__ import annotations

from fractions import Fraction

from ...quantity import about, evaluated
from ..examples import Example
from . import FOUR, INK, ONE, THREE, TWO, Axes, Table, across, pointed, up

SHARES = tuple(map(Fraction, ("0.64", "1.9", "6.4")))  # of the critical context, beside a context of one token
LAWS = {"part by part": "separate_latency", "as a whole": "latency_with_cache"}


def title(example: Example) -> str:  # noqa: D103
    return (
        f"A step of {example.title} on one {example.device} by two laws: solid where matrices and attention take their "
        "turns, dashed where a whole step overlaps. A line ends where memory is full."
    )


def data(example: Example) -> Table:  # noqa: D103
    crossing = float(evaluated("batch_crossover", **example))
    critical = evaluated("critical_context", **example)
    contexts = (1, *(about(share * critical) for share in SHARES))
    fit = {n: int(float(evaluated("sequences_that_fit", N=n, **example))) for n in contexts}
    step = 16 * round(crossing / 160)
    most = 32 * step
    batches = sorted({1, *range(step, most + 1, step), *(full for full in fit.values() if full < most)})

    def time(law: str, n: int, b: int) -> float | None:
        return float(evaluated(law, B=b, N=n, **example)) * 1000 if b <= fit[n] else None

    rows = [(b, *(time(law, n, b) for n in contexts for law in LAWS.values())) for b in batches]
    head = ("batch", *(f"ms, context {n:,}, {law}" for n in contexts for law in LAWS))
    return Table(head, rows, {"fit": fit, "crossing": crossing})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    most, crossing, fit = table.rows[-1][0], table.more["crossing"], table.more["fit"]
    highest = 1.05 * max(time for row in table.rows for time in row[1:] if time is not None)
    across(axes, "batch: sequences in one step", (0, most))
    up(axes, "milliseconds for a step", (0, highest))
    for place, (context, colour) in enumerate(zip(fit, (ONE, TWO, THREE, FOUR), strict=True)):
        rows = [row for row in table.rows if row[0] <= fit[context]]
        batches, parts, whole = zip(*((row[0], *row[1 + 2 * place : 3 + 2 * place]) for row in rows), strict=True)
        axes.plot(batches, parts, color=colour)
        axes.plot(batches, whole, color=colour, linestyle=(0, (2, 2)))
        if batches[-1] < most:
            axes.plot([batches[-1]] * 2, [parts[-1], whole[-1]], "o", color=colour, markersize=5)
            side, at = (1, "left") if batches[-1] < most / 2 else (-1, "right")  # where there is room for words
            axes.text(
                batches[-1] + side * 0.02 * most, parts[-1], f"{context:,} tokens", color=colour, ha=at, va="center"
            )
        else:
            high = (parts[-6] + whole[-6]) / 2 if place else whole[-1] - 0.17 * highest
            words = f"{context:,} tokens" if place else "1 token each"
            axes.text(0.98 * most, high, words, color=colour, ha="right", va="center")
    low = table.rows[0][1]
    pointed(axes, f"{crossing:.0f}", (crossing, low), (crossing, 0.02 * highest))
    axes.text(0.02 * most, 0.93 * highest, "A dot: memory is full", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    last, contexts = dict(zip(table.head, table.rows[-1], strict=True)), [*table.more["fit"]]
    parts, whole = (last[f"ms, context {contexts[1]:,}, {law}"] for law in LAWS)
    return (
        f"Pairs of lines of the time of a step against the batch. With a context of one token both hardly leave "
        f"{table.rows[0][1]:.1f} ms up to a batch of about {table.more['crossing']:.0f}, then rise. With longer "
        f"contexts they rise from the start, together up to that batch and apart beyond: at a batch of "
        f"{table.rows[-1][0]} with {contexts[1]} tokens each a step takes {parts:.0f} ms part by part and "
        f"{whole:.0f} as a whole."
    )
