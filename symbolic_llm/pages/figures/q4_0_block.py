"""A block of Q4_0, byte by byte"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from . import INK, ONE, PAPER, TWO, Axes, Table

TITLE = "A block of Q4_0: each cell is a byte. The first two are the scale, every other holds the codes of two weights."
SIZE = (4.6, 2.5)
_ACROSS = 9  # bytes in a row
_BITS = 8


def data() -> Table:  # noqa: D103
    block, bits, scale = (int(of_preset(letter, weights="q4_0").value) for letter in ("n_block", "n_bits", "n_scale"))
    rows = [("scale", block, scale // _BITS), ("codes", block, block * bits // _BITS)]
    share = evaluated("bytes_per_weight", weights="q4_0").value
    return Table(("Part", "for so many weights", "bytes"), rows, {"share": share})


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    (_, block, scale), (_, _, codes) = table.rows
    for byte in range(scale + codes):
        x, y = byte % _ACROSS, -(byte // _ACROSS) * 1.5
        colour = TWO if byte < scale else ONE
        axes.add_patch(_cell(x, y, colour))
        if byte >= scale:
            first = byte - scale  # llama.cpp's order: the low half, then the weight half a block further
            axes.plot([x + 0.03, x + 0.89], [y + 0.5, y + 0.5], color=PAPER, linewidth=1)
            axes.text(x + 0.46, y + 0.7, first, ha="center", va="center", color=PAPER, fontsize=9)
            axes.text(x + 0.46, y + 0.22, first + block // 2, ha="center", va="center", color=PAPER, fontsize=9)
    axes.text(scale / 2 - 0.04, 1.1, "scale", ha="center", color=TWO)
    axes.text(scale, 1.1, "codes, by the number of the weight", color=ONE)
    share = table.more["share"]
    words = f"{scale + codes} bytes for {block} weights: {share.numerator}/{share.denominator} of a byte each"
    axes.text(_ACROSS / 2, -2.35, words, ha="center", color=INK)
    axes.set_xlim(-0.1, _ACROSS)
    axes.set_ylim(-2.6, 1.7)
    axes.axis("off")


def _cell(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), 0.92, 0.92, facecolor=colour, edgecolor="none")


def alt(table: Table) -> str:  # noqa: D103
    (_, block, scale), (_, _, codes) = table.rows
    return (
        f"{scale + codes} cells, one for each byte: {scale} hold the scale, {codes} hold two codes each, "
        f"for the {block} weights of the block."
    )
