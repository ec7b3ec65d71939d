"""Map of contexts and batches: the part of a step that takes longest, reading weights or caches, or arithmetic"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated
from ..examples import Example
from . import INK, ONE, PAPER, QUIET, THREE, TWO, Axes, Table, across, up

PLACES = [2 ** (step / 4) for step in range(-14, 23)]  # of the corner's context


def title(example: Example) -> str:  # noqa: D103
    return (
        f"{example.title} in {example.dtype} on one {example.device}, part by part: which of reading weights, "
        "computing matrices and reading caches takes most of a step. In the corner all three take equally long."
    )


def data(example: Example) -> Table:  # noqa: D103
    weights, corner = evaluated("memory_time", **example), evaluated("batch_crossover", **example)
    cache = evaluated("memory_time_with_cache", B=1, N=1, **example) - weights  # of one token of one sequence
    meeting = float(evaluated("compute_time", B=1, **example) / cache)  # context where these two are equal
    rows = []
    for n in sorted({round(place * meeting) for place in PLACES}):
        caches = float(weights / cache) / n
        fit = float(evaluated("sequences_that_fit", N=n, **example))
        rows.append((n, min(caches, float(corner)), "caches" if n > meeting else "matrices", fit))
    head = ("context", "batch up to which weights take longest", "beyond it", "batch that fits")
    return Table(head, rows, {"corner": (meeting, float(corner))})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    n_0, b = table.more["corner"]
    contexts, first, _, fit = (table.column(place) for place in range(4))
    low, high, top = contexts[0], contexts[-1], 9 * b
    right = [(n_0, b), *((n, one) for n, one in zip(contexts, first, strict=True) if n > n_0)]
    shaded: Any = {"alpha": 0.25, "linewidth": 0}
    axes.fill_between(contexts, 0.6, first, color=ONE, **shaded)
    axes.fill_between([low, n_0], b, top, color=TWO, **shaded)
    axes.fill_between([n for n, _ in right], [one for _, one in right], top, color=THREE, **shaded)
    axes.fill_between(contexts, fit, top, color=PAPER, alpha=0.8, linewidth=0)
    axes.plot(contexts, fit, color=INK)
    axes.plot([n_0], [b], "o", color=INK, markersize=5)
    axes.text(0.85 * n_0, 0.8 * b, f"{n_0:,.0f} tokens,\n{b:,.0f} sequences", color=INK, ha="right", va="top")
    ticks = [n for n in (16, 64, 256, 1024, 4096, 16384) if low <= n <= high]
    across(axes, "context: tokens of each sequence", (low, high), ticks, log=True)
    up(axes, "batch", (0.6, top), (1, 10, 100, 1000), log=True)
    axes.text(1.2 * low, 1.2, "reading weights", color=ONE)
    axes.text(1.2 * low, 1.5 * b, "computing\nmatrices", color=TWO)
    axes.text(5.5 * n_0, 0.38 * b, "reading caches", color=THREE, ha="center", va="center", rotation=-32)
    axes.text(0.93 * high, 3.5 * b, "does not fit", color=QUIET, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    n_0, b = table.more["corner"]
    last = table.rows[-1]
    return (
        f"A map of contexts and batches in three regions that meet at {n_0:,.0f} tokens and {b:,.0f} sequences. "
        "Below, reading the weights takes longest; above, with shorter contexts the arithmetic of the matrices, with "
        f"longer ones the reading of caches. At {last[0]:,} tokens caches take longest beyond {last[1]:.0f} sequences, "
        f"and memory is full at {last[3]:.0f}."
    )
