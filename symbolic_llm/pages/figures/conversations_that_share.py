"""Conversations that share: memory against their number, with and without a beginning that they have in common"""

from __future__ import annotations

from math import ceil
from typing import Any

from ...quantity import evaluated, of_preset
from ..examples import Example
from . import INK, ONE, TWO, Axes, Table

OWN = 500  # tokens
_STEPS = 20


def shared(example: Example) -> int:
    """Tokens with which all conversations begin."""
    return 3000 * example.scale


def title(example: Example) -> str:  # noqa: D103
    return (
        f"Conversations with {example.title} on one {example.device} that begin with the same {shared(example):,} "
        f"tokens, and go on with {OWN} of their own: what is in memory if each keeps all of them, and if the beginning "
        "is there once."
    )


def data(example: Example) -> Table:  # noqa: D103
    held: Any = {"B": 1, "model": example.model, "cache": example.dtype}
    weights = float(evaluated("weight_bytes", **example)) / 1e9
    begun, own = (float(evaluated("kv_bytes_total", N=n, **held)) / 1e9 for n in (shared(example), OWN))
    memory = float(of_preset("M", **example)) / 1e9
    alone = evaluated("sequences_that_fit", N=shared(example) + OWN, **example)
    fit = int(alone), int((memory - weights - begun) / own)
    step = 5 * ceil(fit[1] / (5 * _STEPS))
    rows = [
        (many, weights + many * (begun + own), weights + begun * (many > 0) + many * own)
        for many in (0, 1, *range(step, _STEPS * step + 1, step))
    ]
    more = {"memory": memory, "fit": fit, "of": example.device}
    return Table(("conversations", "GB, each keeps all", "GB, shared"), rows, more)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    many, memory, (alone, sharing) = table.column(0), table.more["memory"], table.more["fit"]
    for place, colour in ((1, ONE), (2, TWO)):
        axes.plot(many, table.column(place), color=colour)
    axes.axhline(memory, color=INK, linestyle=(0, (3, 2)), linewidth=1.4)
    for fit, colour in ((alone, ONE), (sharing, TWO)):
        axes.plot(fit, memory, "o", color=colour, markersize=5)
    most = many[-1]
    axes.set(xlim=(0, most), ylim=(0, 100), xlabel="conversations", ylabel="GB held")
    axes.text(0.8 * most, memory + 2, f"memory of the {table.more['of']}: {memory:.0f} GB", color=INK, ha="right")
    axes.text(alone + 0.02 * most, 68, f"each keeps all: {alone} fit", color=ONE)
    axes.text(sharing - 0.02 * most, 45, f"shared: {sharing} fit", color=TWO, ha="right")


def alt(table: Table) -> str:  # noqa: D103
    alone, sharing = table.more["fit"]
    return (
        f"Two rising lines of memory against conversations. If each keeps its own copy of the beginning, {alone} fit "
        f"into {table.more['memory']:.0f} GB; if the beginning is kept once, {sharing} do."
    )
