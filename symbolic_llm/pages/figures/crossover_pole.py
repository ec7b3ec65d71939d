"""Crossover pole: the batch that makes a step compute-bound by each law, against the context"""

from __future__ import annotations

from ...quantity import evaluated
from ..examples import Example
from . import INK, ONE, QUIET, TWO, Axes, Table, across, up

SHARES = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99)


def title(example: Example) -> str:  # noqa: D103
    return (
        f"The batch from which arithmetic is the limit, for {example.title} on one {example.device}. For a whole step "
        "it runs away at the critical context; for the matrices alone no context moves it."
    )


def data(example: Example) -> Table:  # noqa: D103
    critical = evaluated("critical_context", **example)
    contexts = sorted({max(1, int(float(critical) * share)) for share in SHARES})
    rows = [(n, float(evaluated("batch_crossover_with_cache", N=n, **example))) for n in contexts]
    matrices = float(evaluated("batch_crossover", **example))
    head = ("context, tokens", "batch at the crossover of a whole step", "of its matrices")
    return Table(head, [(*row, matrices) for row in rows], {"critical": float(critical)})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    contexts, batches, critical = table.column(0), table.column(1), table.more["critical"]
    matrices = table.rows[0][2]
    wide, low, high = 1.9 * critical, matrices / 2.7, 87 * matrices
    axes.plot(contexts, batches, color=ONE)
    axes.fill_between(contexts, batches, 2 * high, color=ONE, alpha=0.15, linewidth=0)
    axes.axvline(critical, color=QUIET, linestyle=(0, (3, 2)))
    axes.axhline(matrices, color=TWO)
    across(axes, "context: tokens of each sequence", (0, wide))
    up(axes, "batch", (low, high), (100, 1000, 10000), log=True)
    left, right = 0.05 * wide, critical + 0.02 * wide
    axes.text(left, high / 4.7, "a whole step is\ncompute-bound", color=ONE)
    axes.text(left, low * 1.4, "memory-bound", color=INK)
    axes.text(right, high / 2.3, f"critical context:\n{critical:.0f} tokens", color=QUIET)
    axes.text(right, high / 20, "no whole step is\ncompute-bound", color=QUIET)
    axes.text(0.99 * wide, matrices * 1.2, f"matrices, from {matrices:.0f} on", color=TWO, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    first, late, critical = table.rows[0], table.rows[-1], table.more["critical"]
    return (
        f"A curve of the batch at the crossover of a whole step against the context. It starts at {first[1]:.0f} with "
        f"a context of {first[0]} token{'s' * (first[0] > 1)}, has passed {late[1]:,.0f} with {late[0]} and has a pole "
        f"at {critical:.0f}; to the right of the pole no batch makes a whole step compute-bound. A level line at "
        f"{first[2]:.0f}: the batch from which the matrices are compute-bound, at any context."
    )
