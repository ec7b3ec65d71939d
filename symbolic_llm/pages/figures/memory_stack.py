"""Memory stack: weights and caches of the example against the batch, under the memory of one A100"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from . import INK, ONE, TWO, Table

MODEL: Any = {"model": "llama-2-7b"}
CONTEXT, BATCHES = 4096, range(0, 41, 4)
TITLE = f"What Llama-2-7B in fp16 holds at once, each sequence {CONTEXT:,} tokens long."


def data() -> Table:  # noqa: D103
    weights = float(evaluated("weight_bytes", weights="fp16", **MODEL)) / 1e9
    cache = float(evaluated("kv_bytes_total", cache="fp16", N=CONTEXT, B=1, **MODEL)) / 1e9
    machine = {"hardware": "a100-80gb-pcie", "dtype": "fp16"}
    memory = float(of_preset("M", **machine)) / 1e9
    fit = float(evaluated("sequences_that_fit", N=CONTEXT, **machine, **MODEL))
    rows = [(b, weights, b * cache, weights + b * cache) for b in BATCHES]
    return Table(("batch", "GB of weights", "GB of caches", "GB in all"), rows, {"memory": memory, "fit": fit})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    batches, weights, held = table.column(0), table.column(1), table.column(3)
    memory, fit = table.more["memory"], table.more["fit"]
    axes.fill_between(batches, weights, color=ONE, alpha=0.5, linewidth=0)
    axes.fill_between(batches, weights, held, color=TWO, alpha=0.5, linewidth=0)
    axes.axhline(memory, color=INK, linestyle=(0, (3, 2)), linewidth=1.4)
    axes.plot([fit, fit], [0, memory], color=INK, linewidth=0.8, linestyle=":")
    axes.set(xlim=(0, 40), ylim=(0, 105), xlabel="batch: sequences", ylabel="GB held")
    axes.text(1, memory + 3, f"memory of the A100: {memory:.0f} GB", color=INK)
    axes.text(6, weights[0] / 2, "weights", color=INK, va="center")
    axes.text(14, 28, "caches", color=INK)
    axes.text(fit + 0.6, 4, f"{fit:.0f} fit", color=INK)
    axes.text(39.6, 83, "too much", color=INK, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    first, last = table.rows[0], table.rows[-1]
    return (
        f"A stack of {first[1]:.1f} GB of weights at any batch and caches that grow with it, to {last[3]:.0f} GB in "
        f"all at a batch of {last[0]}. It crosses the {table.more['memory']:.0f} GB of the A100 beyond "
        f"{table.more['fit']:.0f} sequences."
    )
