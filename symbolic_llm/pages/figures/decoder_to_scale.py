"""A decoder as the bytes that one of its steps reads: area is bytes"""

from __future__ import annotations

from typing import Any

from ...quantity import evaluated, of_preset
from ..embeds import EXAMPLE
from . import FOUR, INK, ONE, PAPER, QUIET, THREE, TWO, Table

TITLE = (
    "What Llama-2-7B reads for one token, in fp16 with a full context. Above: area is bytes. Below: one block opened."
)
SIZE = (4.6, 4.6)
_SHAPE = ("d_model", "d_ff", "n_vocab", "n_blocks")


def data() -> Table:  # noqa: D103
    model = {"model": EXAMPLE["model"]}
    shape = {letter: int(of_preset(letter, **model)) for letter in _SHAPE}
    context = int(of_preset("n_limit", **model))
    width = of_preset("n_bytes", dtype=EXAMPLE["dtype"])
    square, wide = f"{shape['d_model']:,}", f"{shape['d_ff']:,}"
    embedding = evaluated("embedding_parameters", **model)
    blocks, cache = shape["n_blocks"], evaluated("kv_bytes_total", B=1, N=context, **EXAMPLE)
    rows = (
        (
            "attention, all blocks",
            f"4 of {square} × {square}",
            evaluated("grouped_attention_parameters", **model) * blocks,
        ),
        ("MLP, all blocks", f"3 of {square} × {wide}", evaluated("gated_mlp_parameters", **model) * blocks),
        ("output matrix", f"{shape['n_vocab']:,} × {square}", embedding),
        ("embedding, one row of it", square, embedding / shape["n_vocab"]),
    )
    made: list[tuple[str, str, float]] = [(name, says, float(weights * width)) for name, says, weights in rows]
    made.append(("cache, all blocks", f"{context:,} tokens", float(cache)))
    return Table(("What is read", "Shape", "bytes"), made, shape | {"context": context})


def draw(figure: Any, table: Table) -> None:  # noqa: D103
    above, below = figure.subplots(2, 1, gridspec_kw={"height_ratios": (3.4, 1)})
    attention, mlp, output, _, cache = table.column(2)
    blocks, a_block = table.more["n_blocks"], (attention + mlp) / table.more["n_blocks"]
    parts = ((attention, ONE, "attention"), (mlp, TWO, "MLP"), (cache, FOUR, "cache"))
    for block in range(blocks):
        left = 0.0
        for part, colour, _ in parts:
            size = part / blocks / a_block
            above.barh(block + 0.5, size, 0.84, left, color=colour)  # 0.84 of the height: gaps are no bytes
            left += size
    left = 0.0
    for part, _, word in parts:
        size = part / blocks / a_block
        above.text(left + size / 2, -0.9, word, ha="center", va="top", color=INK)
        left += size
    high = 0.84 * output / a_block
    above.barh(blocks + 0.6 + high / 2, 1, high, color=THREE)
    above.text(1.02, blocks + 0.6 + high / 2, "output matrix", va="center", color=INK)
    above.text(left + 0.03, blocks / 2, f"{blocks} blocks,\nfrom bottom\nto top", va="center", color=INK)
    above.text(left + 0.03, 2, f"at {table.more['context']:,}\ntokens", va="center", color=INK)
    above.text(left / 2, -4.4, "↑ a token enters as one row of the embedding", ha="center", va="center", color=QUIET)
    above.set(xlim=(0, 1.5), ylim=(-5.4, blocks + 1.6 + high))
    _open_block(below, table)
    for axes in (above, below):
        axes.set_axis_off()


def _open_block(axes: Any, table: Table) -> None:
    narrow, wide, left = table.more["d_model"], table.more["d_ff"], 0
    for names, width, colour in ((("Q", "K", "V", "O"), narrow, ONE), (("gate", "up", "down"), wide, TWO)):
        middle = left + len(names) * width / 2
        axes.text(middle, -0.12 * narrow, f"each {narrow:,} × {width:,}", ha="center", va="top", color=INK)
        for name in names:
            axes.barh(narrow / 2, width, narrow, left, color=colour, edgecolor=PAPER)
            axes.text(left + width / 2, narrow / 2, name, ha="center", va="center", color=PAPER)
            left += width
        left += narrow // 4
    axes.set(xlim=(0, left), ylim=(-0.7 * narrow, narrow), aspect="equal")


def alt(table: Table) -> str:  # noqa: D103
    whole = sum(table.column(2))
    shares = ", ".join(f"{name} {size / whole:.0%}" for name, _, size in table.rows if size / whole > 0.001)
    return (
        f"A tower of {table.more['n_blocks']} equal blocks under an output matrix, area in "
        f"proportion to bytes read: {shares}. "
        "Below, the matrices of one block: four squares of attention, three wider rectangles of the MLP."
    )
