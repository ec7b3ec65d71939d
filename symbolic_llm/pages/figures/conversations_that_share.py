"""Conversations that share: memory against their number, with and without a beginning that they have in common"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from . import INK, ONE, TWO, Table

EXAMPLE: Any = {"model": "llama-3-8b", "hardware": "h100-sxm", "dtype": "bf16"}
SHARED, OWN = 6000, 500  # tokens
CONVERSATIONS = range(0, 1001, 50)
TITLE = (
    f"Conversations with Llama-3-8B on one H100 that begin with the same {SHARED:,} tokens, and go on with {OWN} of "
    "their own: what is in memory if each keeps all of them, and if the beginning is there once."
)


def data() -> Table:  # noqa: D103
    weights = float(evaluated("weight_bytes", **EXAMPLE)) / 1e9
    begun, own = (float(evaluated("kv_bytes_total", B=1, N=n, **EXAMPLE)) / 1e9 for n in (SHARED, OWN))
    memory = float(of_preset("M", **EXAMPLE)) / 1e9
    rows = [(many, weights + many * (begun + own), weights + begun * (many > 0) + many * own) for many in CONVERSATIONS]
    fit = int((memory - weights) / (begun + own)), int((memory - weights - begun) / own)
    return Table(("conversations", "GB, each keeps all", "GB, shared"), rows, {"memory": memory, "fit": fit})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    axes = figure.subplots()
    many, memory, (alone, sharing) = table.column(0), table.more["memory"], table.more["fit"]
    for place, colour in ((1, ONE), (2, TWO)):
        axes.plot(many, table.column(place), color=colour)
    axes.axhline(memory, color=INK, linestyle=(0, (3, 2)), linewidth=1.4)
    for fit, colour in ((alone, ONE), (sharing, TWO)):
        axes.plot(fit, memory, "o", color=colour, markersize=5)
    axes.set(xlim=(0, 1000), ylim=(0, 100), xlabel="conversations", ylabel="GB held")
    axes.text(990, memory + 2, f"memory of the H100: {memory:.0f} GB", color=INK, ha="right")
    axes.text(alone + 20, 68, f"each keeps all: {alone} fit", color=ONE)
    axes.text(sharing - 20, 57, f"shared: {sharing} fit", color=TWO, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    alone, sharing = table.more["fit"]
    return (
        f"Two rising lines of memory against conversations. If each keeps its own copy of the beginning, {alone} fit "
        f"into {table.more['memory']:.0f} GB; if the beginning is kept once, {sharing} do."
    )
