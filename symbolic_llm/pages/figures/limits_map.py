"""Limits map: which of memory, patience and arithmetic binds, for each context and batch"""

from __future__ import annotations

from ...quantity import evaluated, solved
from ..examples import Example
from . import INK, ONE, QUIET, THREE, TWO, Axes, Table, across, up

CONTEXTS = [round(128 * 2 ** (step / 8)) for step in range(41)]


def deployment(example: Example) -> dict[str, str]:
    """The model of the chapter's deployment, its weights in four bits, on the device of an example."""
    return {**example, "model": "llama-2-70b", "weights": "q4_0"}


def title(example: Example) -> str:  # noqa: D103
    return (
        f"Llama-2-70B in 4 bits on one {example.device}, {example.patience} for a token: the batches that fit and are "
        "fast enough, in green, if a whole step overlaps. Dashes: what is fast enough where parts take their turns."
    )


def data(example: Example) -> Table:  # noqa: D103
    deployed = deployment(example)
    patience, critical = example.patience, float(evaluated("critical_context", **deployed))
    rows = []
    for n in CONTEXTS:
        fit = float(evaluated("sequences_that_fit", N=n, **deployed))
        fast = float(solved("latency_with_cache", "B", N=n, T_step=patience, **deployed))
        apart = float(solved("separate_latency", "B", N=n, T_step=patience, **deployed))
        crossing = float(evaluated("batch_crossover_with_cache", N=n, **deployed)) if n < critical else None
        rows.append((n, fit, fast, apart, crossing))
    head = ("context", "batch that fits", f"batch within {patience}", "of these, part by part", "compute-bound from")
    return Table(head, rows, {"critical": critical, "patience": patience})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    contexts, fit, fast, apart, crossing = (table.column(place) for place in range(5))
    allowed = [min(pair) for pair in zip(fit, fast, strict=True)]
    bound = [(n, b, top) for n, b, top in zip(contexts, crossing, allowed, strict=True) if b is not None and b < top]
    axes.fill_between(contexts, 1, allowed, color=THREE, alpha=0.2, linewidth=0)
    axes.fill_between(*zip(*bound, strict=True), color=THREE, alpha=0.35, linewidth=0)
    axes.plot(contexts, fit, color=ONE)
    axes.plot(contexts, fast, color=TWO)
    axes.plot(contexts, apart, color=TWO, linewidth=1.3, linestyle=(0, (3, 2)))
    rising = [(n, b) for n, b in zip(contexts, crossing, strict=True) if b is not None]
    axes.plot(*zip(*rising, strict=True), color=THREE, linewidth=1.3, linestyle=(0, (3, 2)))
    critical = table.more["critical"]
    axes.axvline(critical, color=QUIET, linestyle=":", linewidth=1.2)
    axes.text(critical * 0.94, 4.6, f"critical context\n{critical:,.0f} tokens", color=INK, ha="right")
    across(axes, "context: tokens of each sequence", (128, 4096), (128, 256, 512, 1024, 2048, 4096), log=True)
    up(axes, "batch", (4, 700), (4, 10, 30, 100, 300), log=True)
    axes.text(420, 380, "memory is full", color=ONE)
    axes.text(140, 1.12 * fast[0], f"slower than {table.more['patience']}", color=TWO)
    axes.text(150, 0.6 * fast[0], "waits for arithmetic", color=INK)
    axes.text(150, 0.85 * crossing[0], "arithmetic takes over", color=THREE)
    axes.text(150, 12, "waits for memory", color=INK)


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    return (
        f"A map of contexts and batches. At a context of {first[0]} tokens patience is the first limit, at a batch "
        f"of {first[2]:.0f}, and from {first[4]:.0f} on the step waits for arithmetic. At {last[0]:,} tokens memory "
        f"is full at {last[1]:.0f} sequences, before patience ends at {last[2]:.0f}; beyond "
        f"{table.more['critical']:,.0f} tokens no whole step waits for arithmetic."
    )
