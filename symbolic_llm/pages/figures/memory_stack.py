"""Memory stack: weights and caches of the example against the batch, under the memory of one A100"""

from __future__ import annotations

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import INK, ONE, TWO, Axes, Table

CONTEXT = 4096


def title(example: Example) -> str:  # noqa: D103
    return f"What {example.title} in {example.dtype} holds at once, each sequence {CONTEXT:,} tokens long."


def data(example: Example) -> Table:  # noqa: D103
    weights = float(evaluated("weight_bytes", **example)) / 1e9
    cache = float(evaluated("kv_bytes_total", N=CONTEXT, B=1, **example)) / 1e9
    memory = float(of_preset("M", **example)) / 1e9
    fit = float(evaluated("sequences_that_fit", N=CONTEXT, **example))
    step = round(1.29 * fit / 10)
    rows = [(b, weights, b * cache, weights + b * cache) for b in range(0, 10 * step + 1, step)]
    more = {"memory": memory, "fit": fit, "of": example.device}
    return Table(("batch", "GB of weights", "GB of caches", "GB in all"), rows, more)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    batches, weights, held = table.column(0), table.column(1), table.column(3)
    memory, fit = table.more["memory"], table.more["fit"]
    axes.fill_between(batches, weights, color=ONE, alpha=0.5, linewidth=0)
    axes.fill_between(batches, weights, held, color=TWO, alpha=0.5, linewidth=0)
    axes.axhline(memory, color=INK, linestyle=(0, (3, 2)), linewidth=1.4)
    axes.plot([fit, fit], [0, memory], color=INK, linewidth=0.8, linestyle=":")
    most = batches[-1]
    axes.set(xlim=(0, most), ylim=(0, 105), xlabel="batch: sequences", ylabel="GB held")
    axes.text(0.025 * most, memory + 3, f"memory of the {table.more['of']}: {memory:.0f} GB", color=INK)
    axes.text(0.15 * most, weights[0] / 2, "weights", color=INK, va="center")
    axes.text(0.35 * most, 28, "caches", color=INK)
    axes.text(fit + 0.015 * most, 4, f"{fit:.0f} fit", color=INK)
    axes.text(0.99 * most, 83, "too much", color=INK, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    return (
        f"A stack of {first[1]:.1f} GB of weights at any batch and caches that grow with it, to {last[3]:.0f} GB in "
        f"all at a batch of {last[0]}. It crosses the {table.more['memory']:.0f} GB of the {table.more['of']} beyond "
        f"{table.more['fit']:.0f} sequences."
    )
