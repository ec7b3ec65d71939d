"""Bytes that one head of attention moves against the length of the sequence: in textbook form and in tiles"""

from __future__ import annotations

from math import isqrt

from ...quantity import evaluated, of_device, of_preset
from ..examples import EXAMPLE, Example
from . import FOUR, INK, ONE, QUIET, THREE, TWO, Axes, Table, across, up

_TILES = (128, 1024)


def title(_: Example) -> str:  # noqa: D103
    return (
        "Bytes that one head moves for a whole prompt. The textbook writes its scores to memory; tiles never do, and "
        "the more queries share a tile, the less is read again."
    )


def data(example: Example) -> Table:  # noqa: D103
    model, rows = {"model": example.model, "dtype": example.dtype}, []
    for N in (2**power for power in range(10, 18)):
        textbook = evaluated("textbook_attention_bytes", N=N, **model)
        tiled = [evaluated("tiled_attention_bytes", N=N, b_q=b, **model) for b in (*_TILES, N)]
        rows.append((N, *map(float, (textbook, *tiled))))
    number = of_preset("n_bytes_act", **model)  # scores take N²·number bytes
    longest = isqrt(int(of_device("on_chip", EXAMPLE.hardware).value / number.value))
    head = ("Tokens", "textbook, B", *(f"tiles of {b:,} queries, B" for b in _TILES), "each matrix once, B")
    return Table(head, rows, {"longest": longest})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    tokens = table.column(0)
    names = ("textbook", *(f"tiles of {b:,}" for b in _TILES), "each matrix once")
    for place, (word, colour) in enumerate(zip(names, (ONE, TWO, THREE, FOUR), strict=True), 1):
        axes.loglog(tokens, table.column(place), color=colour)
        axes.text(tokens[-1] * 1.15, table.column(place)[-1], word, color=colour, va="center")
    longest = table.more["longest"]
    axes.axvline(longest, color=QUIET, linestyle=":", linewidth=1.2)
    words = f"from here on, scores exceed an\n{EXAMPLE.device}'s on-chip memory"
    axes.text(longest * 1.12, 9e5, words, va="bottom", color=INK)
    across(axes, "tokens of the prompt, N", (tokens[0], tokens[-1] * 1.05), (2**10, 2**12, 2**14, 2**16), log=True)
    up(axes, "bytes moved", (8e5, 2e11), {1e6: "1 MB", 1e8: "100 MB", 1e10: "10 GB"}, log=True)


def alt(table: Table) -> str:  # noqa: D103
    tokens, textbook, narrow, wide, once = table.rows[2]
    return (
        f"Four lines that rise with the number of tokens. At {tokens:,} tokens the textbook form moves "
        f"{textbook / 1e6:.0f} MB, tiles of {_TILES[0]} queries {narrow / 1e6:.0f} MB, tiles of {_TILES[1]:,} "
        f"{wide / 1e6:.1f} MB, and each matrix once would be {once / 1e6:.1f} MB. Beyond "
        f"{table.more['longest']:,} tokens the scores of one head are larger than all on-chip memory of an "
        f"{EXAMPLE.device}."
    )
